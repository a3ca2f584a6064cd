/** The page of a request of OpenID4VP: who asks, what for, how to answer with a wallet, and how it ended. */
import type { DcqlQuery } from '../interface/dcql.ts'
import type { PageState } from '../interface/openid4vp-page.ts'
import { layout } from './layout.ts'
import { html, type Markup, shortText } from './markup.ts'
import { type Outcome, outcomesOf } from './outcome.ts'
import { qrCode } from './qr-code.ts'

const MAX_NAME = 100
const MAX_TYPE = 200

/** What a page shows of a session. */
export interface ShownRequest {
  state: PageState
  /** The link for a wallet. */
  link: string
  /** The verifier's own name. */
  verifier: unknown
  query: DcqlQuery
  /** Whether the wallet leads its user back to the browser. */
  leadsBack: boolean
  /** Whether the user is asked to confirm a transaction, too. */
  hasTransaction: boolean
}

/** The script of an open page shows the current one. `late` and `idle`: no response was received. */
const OUTCOMES: Record<Exclude<PageState, 'open'> | 'late' | 'idle', Outcome> = {
  answered: {
    heading: 'Your wallet has responded',
    words: 'Continue on the page that your wallet has opened. You can close this page.',
  },
  verified: { heading: 'Done', words: 'Your credentials were verified. You can close this page.' },
  ended: {
    heading: 'This did not work',
    words: 'The request was declined, or the presentation was not accepted. Ask for a new request.',
  },
  late: { heading: 'This request has expired', words: 'Ask the sender for a new one.' },
  idle: { heading: 'No response yet', words: 'This page no longer updates. Reload it to see the current state.' },
}

const foreign = (text: string, max: number): Markup => html`<bdi>${shortText(text, max) || '?'}</bdi>`

/** `given_name` and `givenName` are “given name”. */
const inWords = (name: string): string =>
  name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\s]+/g, ' ')
    .toLowerCase()

/** A claim's path without list indexes. */
const claimWords = (path: readonly (string | number | null)[]): string =>
  path
    .filter((part) => typeof part === 'string')
    .map(inWords)
    .join(': ')

const requestedOf = ({ meta, claims = [] }: DcqlQuery['credentials'][number]): Markup => {
  const names = [...new Set(claims.map(({ path }) => claimWords(path)))]
  const types = meta.vct_values.map((vct) => html`<br><span class="hint">${foreign(vct, MAX_TYPE)}</span>`)
  return html`<li><strong>A credential of the type</strong>${types}${
    names.length === 0
      ? html`<p>Only the information that it always shows.</p>`
      : html`<p>Requested information:</p><ul>${names.map((name) => html`<li>${foreign(name, MAX_NAME)}</li>`)}</ul>`
  }</li>`
}

/** Alternatives are chosen in the wallet, which knows what it holds. */
const hasChoice = ({ credentials, credential_sets }: DcqlQuery): boolean =>
  credential_sets !== undefined || credentials.some(({ claim_sets }) => claim_sets !== undefined)

const waysOf = ({ link, leadsBack }: ShownRequest): Markup => html`
<div data-ways>
<h2>Respond with your wallet</h2>
<div class="ways">
<section>
<h3>On this device</h3>
<p><a class="button" href="${link}">Open in your wallet</a></p>
<p class="hint">Nothing happens? Then no wallet on this device supports such links.</p>
${
  leadsBack
    ? html`<p class="note">There is no QR code, because your wallet returns you to this browser after its response. This prevents
attackers from getting your response to their own request.</p>`
    : []
}
</section>
${
  leadsBack
    ? []
    : html`<section>
<h3>On a phone</h3>
<p>Scan this code with your wallet.</p>
<p>${qrCode(link, 'QR code of this request')}</p>
</section>`
}
</div>
</div>`

export const presentationPage = (request: ShownRequest): string => {
  const { state, query, hasTransaction } = request
  const verifier = typeof request.verifier === 'string' ? shortText(request.verifier, MAX_NAME) : ''
  return layout(
    'Presentation request',
    html`
<section>
<h1>Request from ${verifier === '' ? 'an unknown sender' : html`<bdi>${verifier}</bdi>`}</h1>
<p>They ask your wallet for</p>
<ul>${query.credentials.map(requestedOf)}${
      hasTransaction ? html`<li><strong>your consent to a transaction</strong>, which your wallet shows you</li>` : []
    }</ul>
${hasChoice(query) ? html`<p>Some of it may be optional: your wallet shows you the choice.</p>` : []}
<p class="note"><strong>Do you expect this request?</strong> The sender’s name is not verified. Your wallet shows who has signed the request, and shares nothing unless you agree.</p>
</section>
${state === 'open' ? waysOf(request) : []}
${outcomesOf(OUTCOMES, state)}
`,
  )
}
