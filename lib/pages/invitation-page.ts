/** The page of an invitation: who invites, what for, and how to accept it with a wallet. */
import { isObject, type JsonObject } from '../json.ts'
import { attachedContent, objects } from '../records/message-attachments.ts'
import { shortAddress, walletAddress } from './invitation-address.ts'
import { layout } from './layout.ts'
import { html, shortText } from './markup.ts'
import { qrCode } from './qr-code.ts'

const MAX_LABEL = 100
const MAX_GOAL = 300

/** What the sender wants, and what that means, for a person who has never used a wallet. */
interface Purpose {
  words: string
  meaning: string
}

/** Purposes of the messages in an invitation, by the end of their message type. */
const PURPOSES: [type: RegExp, purpose: Purpose][] = [
  [
    /\/issue-credential\/\d+\.\d+\/offer-credential$/,
    {
      words: 'to offer you a credential',
      meaning:
        'A digital document for your wallet, such as a diploma or a membership card. You see it before you accept it.',
    },
  ],
  [
    /\/present-proof\/\d+\.\d+\/request-presentation$/,
    {
      words: 'to ask you for a proof',
      meaning:
        'Information from your wallet, such as your age. The wallet shows you which, and shares nothing unless you agree.',
    },
  ],
]

const CONNECT: Purpose = {
  words: 'to connect with you',
  meaning: 'You can then exchange messages and credentials. You can end the connection in your wallet.',
}

const MESSAGE: Purpose = {
  words: 'to send you a message',
  meaning: 'Your wallet shows it if it supports this type of message.',
}

const purposesOf = ({ 'requests~attach': attached, handshake_protocols: handshakes }: JsonObject): Purpose[] => {
  const purposes = objects(attached)
    .map(attachedContent)
    .map((message) => {
      const type = isObject(message) ? String(message['@type']) : ''
      return PURPOSES.find(([pattern]) => pattern.test(type))?.[1] ?? MESSAGE
    })
  const connects = Array.isArray(handshakes) && handshakes.length > 0
  return [...new Set([...(connects || purposes.length === 0 ? [CONNECT] : []), ...purposes])]
}

/** A text of the sender, or nothing. */
const senderText = (value: unknown, max: number): string => (typeof value === 'string' ? shortText(value, max) : '')

export const invitationPage = (invitation: JsonObject): string => {
  const short = shortAddress(invitation)
  const sender = senderText(invitation.label, MAX_LABEL)
  const goal = senderText(invitation.goal, MAX_GOAL)
  return layout(
    'Invitation',
    html`
<section>
<h1>Invitation from ${sender === '' ? 'an unknown sender' : html`<bdi>${sender}</bdi>`}</h1>
<p>They want</p>
<ul>${purposesOf(invitation).map(({ words, meaning }) => html`<li><strong>${words}</strong><br>${meaning}</li>`)}</ul>
${goal === '' ? [] : html`<p>Message from the sender:</p><blockquote dir="auto">${goal}</blockquote>`}
<p class="note"><strong>Do you expect this invitation?</strong> The sender’s name and message are not verified.</p>
</section>
<h2>Accept this invitation</h2>
<div class="ways">
<section>
<h3>On this device</h3>
<p><a class="button" href="${walletAddress(invitation)}">Open in your wallet</a></p>
<p class="hint">Nothing happens? Then no wallet on this device supports such links: scan the code, or copy the link.</p>
</section>
<section>
<h3>On a phone</h3>
<p>Scan this code with your wallet, or with the phone’s camera, which opens this page on the phone.</p>
<p>${qrCode(short, 'QR code of this invitation')}</p>
</section>
<section>
<h3>By link</h3>
<p>Paste this link, or the address of this page, into your wallet. A click or a long press selects the whole link:</p>
<p class="address" dir="ltr">${short}</p>
</section>
</div>
<section>
<h2>No wallet yet?</h2>
<p>A wallet is an app for your digital documents. Ask the sender which one to install: it must support DIDComm, the
protocol of this invitation. Then open this page again. The invitation stays valid until it is used.</p>
</section>
`,
  )
}
