/** HTML templates: inserted values are escaped, unless they are markup themselves. */

/** Text that is HTML and needs no escaping. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => REFERENCES[character] ?? '')

const toText = (value: string | Markup | readonly Markup[]): string => {
  if (typeof value === 'string') return escapeText(value)
  return value instanceof Markup ? value.text : value.map(({ text }) => text).join('')
}

/**
 * A template of HTML, as a tag of a template literal.
 *
 * @example
 * html`<p title="${title}">${list.map((one) => html`<b>${one}</b>`)}</p>`
 */
export const html = (strings: TemplateStringsArray, ...values: (string | Markup | readonly Markup[])[]): Markup =>
  new Markup(strings.reduce((text, part, index) => `${text}${toText(values[index - 1] ?? '')}${part}`))

/**
 * Control characters, and those that change the direction of text: a third party's text must not rearrange the page
 * around it.
 */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Only spaces and invisible characters. Other texts need some of these: joiners, in emoji and in Persian. */
const BLANK = /^[\p{Default_Ignorable_Code_Point} ]*$/u

/** A third party's text in one line of at most `max` characters; empty if it would be invisible. */
export const shortText = (text: string, max: number): string => {
  const line = text.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim()
  if (BLANK.test(line)) return ''
  const characters = [...line]
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : line
}
