export const isSlug = (text, strict) => {
  return strict ? /^[a-z0-9-]+$/.test(text) : !/\s/.test(text)
}

export async function unslugify(slug) {
  const words = slug.split('-')
  return words.join(' ')
}
