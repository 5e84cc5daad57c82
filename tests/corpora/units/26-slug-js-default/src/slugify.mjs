const DASHES = /[^\p{Letter}\p{Number}]+/gu

export default function slugify(text, options) {
  const slug = text.normalize('NFKC').toLowerCase().replace(DASHES, '-')
  return options.trim ? slug.replace(/^-|-$/g, '') : slug
}
