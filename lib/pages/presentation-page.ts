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

/** How it ended: the script of an open page shows the one that has come. `late` and `idle`: no answer was seen. */
const OUTCOMES: Record<Exclude<PageState, 'open'> | 'late' | 'idle', Outcome> = {
  answered: {
    heading: 'Your wallet has answered',
    words: 'Go on where your wallet has led you. You can close this page.',
  },
  verified: { heading: 'Done', words: 'Your credentials were verified. You can close this page.' },
  ended: {
    heading: 'That did not work',
    words: 'The request was declined, or what the wallet sent was not accepted. Ask for a new one.',
  },
  late: { heading: 'This request has expired', words: 'Ask whoever sent it for a new one.' },
  idle: { heading: 'No answer yet', words: 'This page has stopped looking for it. Load the page again to see more.' },
}

const foreign = (text: string, max: number): Markup => html`<bdi>${shortText(text, max) || '?'}</bdi>`

/** `given_name` and `givenName` are “given name”. */
const inWords = (name: string): string =>
  name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\s]+/g, ' ')
    .toLowerCase()

/** A claim's path without its places in lists. */
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
      ? html`<p>Nothing of it but what it always shows.</p>`
      : html`<p>From it:</p><ul>${names.map((name) => html`<li>${foreign(name, MAX_NAME)}</li>`)}</ul>`
  }</li>`
}

/** Alternatives are chosen in the wallet, which knows what it holds. */
const hasChoice = ({ credentials, credential_sets }: DcqlQuery): boolean =>
  credential_sets !== undefined || credentials.some(({ claim_sets }) => claim_sets !== undefined)

const waysOf = ({ link, leadsBack }: ShownRequest): Markup => html`
<div data-ways>
<h2>Answer with your wallet</h2>
<div class="ways">
<section>
<h3>On this device</h3>
<p><a class="button" href="${link}">Open in your wallet</a></p>
<p class="hint">Nothing happens? Then there is no wallet here that knows such links.</p>
${
  leadsBack
    ? html`<p class="note">There is no QR code, because your wallet leads you back to this browser when it has answered: so nobody can
have you answer a request that was made for somebody else.</p>`
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
<h1>Request from ${verifier === '' ? 'somebody' : html`<bdi>${verifier}</bdi>`}</h1>
<p>They ask your wallet for</p>
<ul>${query.credentials.map(requestedOf)}${
      hasTransaction ? html`<li><strong>your consent to a transaction</strong>, which your wallet shows you</li>` : []
    }</ul>
${hasChoice(query) ? html`<p>Not all of it may be needed: your wallet shows you the choice.</p>` : []}
<p class="note"><strong>Do you expect this request?</strong> The name is the sender’s own. Your wallet shows who has signed it, and shares nothing unless you agree.</p>
</section>
${state === 'open' ? waysOf(request) : []}
${outcomesOf(OUTCOMES, state)}
`,
  )
}
