/** The page for errors: something does not exist any more, or failed. */
import type { ErrorBody } from '../interface/contract.ts'
import { layout } from './layout.ts'
import { html } from './markup.ts'

/** For errors of the service. */
const SERVICE_ERROR = {
  heading: 'Something went wrong',
  words: 'This is an error on our side. Try again in a moment.',
}

const TEXTS: Record<number, { heading: string; words: string }> = {
  400: {
    heading: 'This link is not complete',
    words: 'Open the complete link that you received, or scan the code again.',
  },
  404: {
    heading: 'Page not found',
    words: 'Check the link that you received, or ask the sender for a new one.',
  },
  410: {
    heading: 'This invitation is no longer valid',
    words: 'It was used or withdrawn. Ask the sender for a new one.',
  },
  429: { heading: 'Too many requests', words: 'Wait a moment, then try again.' },
}

/** Quotes nothing of the request, because an attacker can choose the URL. */
export const errorPage = ({ statusCode }: ErrorBody): string => {
  const { heading, words } = TEXTS[statusCode] ?? SERVICE_ERROR
  return layout(heading, html`<section><h1>${heading}</h1><p>${words}</p></section>`)
}
