export interface Money {
  cents: number
  currency: string
}

export function add(left: Money, right: Money): Money {
  sameCurrency(left, right)
  return { cents: left.cents + right.cents, currency: left.currency }
}

export const convert = (amount: Money, rate: number, currency: string): Money => ({
  cents: Math.round(amount.cents * rate),
  currency,
})

export const format = (amount: Money, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: amount.currency }).format(
    amount.cents / 100,
  )

export const negate = (amount: Money): Money => ({ ...amount, cents: -amount.cents })

export const ZERO_EUR: Money = { cents: 0, currency: 'EUR' }

function sameCurrency(left: Money, right: Money): void {
  if (left.currency !== right.currency) throw new RangeError('two currencies')
}

class Purse {
  split(amount: Money, parts: number): Money[] {
    return Array.from({ length: parts }, () => ({ ...amount, cents: amount.cents / parts }))
  }
}

new Purse().split(ZERO_EUR, 1)
