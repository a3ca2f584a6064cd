/** The page of an offer of OpenID4VCI: who offers what, how to accept it with a wallet, and the outcome. */
import type { OfferState } from '../interface/openid4vci-page.ts'
import { layout } from './layout.ts'
import { logoUrl } from './logo.ts'
import { html, type Markup, shortText } from './markup.ts'
import { type Outcome, outcomesOf } from './outcome.ts'
import { qrCode } from './qr-code.ts'

const MAX_NAME = 100
const MAX_TYPE = 200

/** What a page shows of a session. Names and logo are the issuer's own. */
export interface ShownOffer {
  state: OfferState
  /** The link for a wallet. */
  link: string
  issuer: unknown
  /** Of the issuer. */
  logo: unknown
  credentials: { name: unknown; vct: string }[]
  /** Whether the wallet asks for a PIN, which no page shows. */
  hasPin: boolean
}

/** `late` and `idle`: no wallet has accepted the offer. */
const OUTCOMES: Record<Exclude<OfferState, 'open'> | 'late' | 'idle', Outcome> = {
  taken: {
    heading: 'Your wallet has accepted the offer',
    words: 'Continue there to receive your credentials. You can close this page.',
    goesOn: true,
  },
  issued: { heading: 'Done', words: 'Your wallet has received all credentials. You can close this page.' },
  ended: { heading: 'This did not work', words: 'The wallet did not receive the credentials. Ask for a new offer.' },
  late: { heading: 'This offer has expired', words: 'Ask the sender for a new one.' },
  idle: { heading: 'Not accepted yet', words: 'This page no longer updates. Reload it to see the current state.' },
}

const nameOf = (name: unknown): string => (typeof name === 'string' ? shortText(name, MAX_NAME) : '')

/** By its name, or else by its type. */
const offeredOf = ({ name, vct }: ShownOffer['credentials'][number]): Markup =>
  html`<li><strong><bdi>${nameOf(name) || shortText(vct, MAX_TYPE) || '?'}</bdi></strong></li>`

const logoOf = (uri: unknown): Markup | [] => {
  const url = logoUrl(uri)
  return url === undefined ? [] : html`<p><img class="logo" src="${url}" alt=""></p>`
}

const waysOf = ({ link, hasPin }: ShownOffer): Markup => html`
<div data-ways>
<h2>Accept this offer</h2>
${hasPin ? html`<p>Your wallet will ask for a PIN, which you receive separately, not on this page.</p>` : []}
<div class="ways">
<section>
<h3>On this device</h3>
<p><a class="button" href="${link}">Open in your wallet</a></p>
<p class="hint">Nothing happens? Then no wallet on this device supports such links.</p>
</section>
<section>
<h3>On a phone</h3>
<p>Scan this code with your wallet.</p>
<p>${qrCode(link, 'QR code of this offer')}</p>
</section>
</div>
</div>`

export const offerPage = (offer: ShownOffer): string => {
  const issuer = nameOf(offer.issuer)
  return layout(
    'Credential offer',
    html`
<section>
${logoOf(offer.logo)}
<h1>Offer from ${issuer === '' ? 'an unknown sender' : html`<bdi>${issuer}</bdi>`}</h1>
<p>They offer you</p>
<ul>${offer.credentials.map(offeredOf)}</ul>
<p class="note"><strong>Do you expect this offer?</strong> The sender’s name is not verified. Your wallet shows you the credentials before you accept them.</p>
</section>
${offer.state === 'open' ? waysOf(offer) : []}
${outcomesOf(OUTCOMES, offer.state)}
`,
  )
}
