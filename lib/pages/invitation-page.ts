/** The page of an invitation: who invites, what for, and how to take it with a wallet or without one. */
import { isObject, type JsonObject } from '../json.ts'
import { attachedContent, objects } from '../records/message-attachments.ts'
import { shortAddress, walletAddress } from './invitation-address.ts'
import { layout } from './layout.ts'
import { html, type Markup, shortText } from './markup.ts'
import { qrCode } from './qr-code.ts'

const MAX_LABEL = 100
const MAX_GOAL = 300

/** What the messages are for that an invitation carries, by the end of their types. */
const PURPOSES: [type: RegExp, purpose: string][] = [
  [/\/issue-credential\/\d+\.\d+\/offer-credential$/, 'to offer you a credential'],
  [/\/present-proof\/\d+\.\d+\/request-presentation$/, 'to ask you for a proof'],
]

const CONNECT = 'to connect with you'

const purposesOf = ({ 'requests~attach': attached, handshake_protocols: handshakes }: JsonObject): string[] => {
  const purposes = objects(attached)
    .map(attachedContent)
    .map((message) => {
      const type = isObject(message) ? String(message['@type']) : ''
      return PURPOSES.find(([pattern]) => pattern.test(type))?.[1] ?? 'to send you a message'
    })
  const connects = Array.isArray(handshakes) && handshakes.length > 0
  return [...new Set([...(connects || purposes.length === 0 ? [CONNECT] : []), ...purposes])]
}

/** What the sender says, kept apart from what we say, in whatever direction it is written. */
const said = (value: unknown, max: number): Markup | undefined => {
  const text = typeof value === 'string' ? shortText(value, max) : ''
  return text === '' ? undefined : html`<bdi>${text}</bdi>`
}

export const invitationPage = (invitation: JsonObject): string => {
  const short = shortAddress(invitation)
  const sender = said(invitation.label, MAX_LABEL)
  const goal = said(invitation.goal, MAX_GOAL)
  return layout(
    'Invitation',
    html`
<h1>Invitation from ${sender ?? html`somebody`}</h1>
<p>They want</p>
<ul>${purposesOf(invitation).map((purpose) => html`<li>${purpose}</li>`)}</ul>
${goal === undefined ? [] : html`<p>In their own words: <q>${goal}</q></p>`}
<p class="note">Name and words are the sender's own: nobody has checked them. Ask yourself whether you expect this invitation.</p>
<h2>Take it with your wallet</h2>
<p><a class="button" href="${walletAddress(invitation)}">Open the wallet on this device</a></p>
<p>Or scan this code with the wallet on your phone:</p>
<p>${qrCode(short, 'QR code of this invitation')}</p>
<p>Or paste this address into the wallet:</p>
<p><a class="address" href="${short}">${short}</a></p>
<h2>No wallet yet?</h2>
<p>A wallet is an app that keeps credentials for you. Whoever invites you can tell which wallets they work with: it has to understand
DIDComm. Install one, then open this page again and scan the code. The invitation waits until it is used.</p>
`,
  )
}
