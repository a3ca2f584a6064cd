/** What a page tells of its session: each outcome is in the page, and its script (browser/session.js) shows the one that has come. */
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

/** That of the state is shown, with those that may follow and the script only where some may. */
export const outcomesOf = (outcomes: Readonly<Record<string, Outcome>>, state: string): Markup => {
  const current = outcomes[state]
  const mayFollow = current === undefined || current.goesOn === true
  const all = Object.entries(outcomes).filter(([name]) => mayFollow || name === state)
  return html`<div role="status">${all.map(([name, outcome]) => section(name, outcome, name === state))}</div>
${mayFollow ? html`<script src="${settings().PUBLIC_URL}/assets/session.js"></script>` : []}`
}
