/** The outcomes of a page's session: the page contains all of them, and its script (browser/session.js) shows the current one. */
import { settings } from '../settings.ts'
import { html, type Markup } from './markup.ts'

export interface Outcome {
  heading: string
  words: string
  /** Whether another one may follow. */
  goesOn?: true
}

const attributes = (name: string, { goesOn }: Outcome, isShown: boolean): Markup =>
  html`data-outcome="${name}"${goesOn ? html` data-goes-on` : []}${isShown ? [] : html` hidden`}`

const section = (name: string, outcome: Outcome, isShown: boolean): Markup =>
  html`<section ${attributes(name, outcome, isShown)}><h2>${outcome.heading}</h2><p>${outcome.words}</p></section>`

/** Shows the outcome of the state. Includes the others and the script only if another outcome may follow. */
export const outcomesOf = (outcomes: Readonly<Record<string, Outcome>>, state: string): Markup => {
  const current = outcomes[state]
  const mayFollow = current === undefined || current.goesOn === true
  const all = Object.entries(outcomes).filter(([name]) => mayFollow || name === state)
  return html`<div role="status">${all.map(([name, outcome]) => section(name, outcome, name === state))}</div>
${mayFollow ? html`<script src="${settings().PUBLIC_URL}/assets/session.js"></script>` : []}`
}
