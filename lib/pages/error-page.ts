/** The page for errors: something does not exist any more, or failed. */
import type { ErrorBody } from '../interface/contract.ts'
import { layout } from './layout.ts'
import { html } from './markup.ts'

/** For errors of the service. */
const OTHERS = {
  heading: 'This did not work',
  words: 'Something failed on our side. Try it again in a moment.',
}

const TEXTS: Record<number, { heading: string; words: string }> = {
  400: {
    heading: 'This address is not complete',
    words: 'Open the whole link that you were given, or scan the code again.',
  },
  404: {
    heading: 'There is nothing here',
    words: 'Check the link that you were given, or ask whoever sent it for a new one.',
  },
  410: {
    heading: 'This invitation is no longer valid',
    words: 'It was used, or taken back. Ask whoever sent it for a new one.',
  },
  429: { heading: 'Too many at once', words: 'Wait a moment, then try it again.' },
}

/** Quotes nothing of the request, because anybody can write an address. */
export const errorPage = ({ statusCode }: ErrorBody): string => {
  const { heading, words } = TEXTS[statusCode] ?? OTHERS
  return layout(heading, html`<section><h1>${heading}</h1><p>${words}</p></section>`)
}
