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
        'A digital document for your wallet, such as a diploma or a membership card. You see it before you take it.',
    },
  ],
  [
    /\/present-proof\/\d+\.\d+\/request-presentation$/,
    {
      words: 'to ask you for a proof',
      meaning:
        'Something out of your wallet, such as your age. The wallet tells you what, and shares nothing unless you agree.',
    },
  ],
]

const CONNECT: Purpose = {
  words: 'to connect with you',
  meaning: 'You can then write to each other, and send each other credentials. You can end it in your wallet.',
}

const MESSAGE: Purpose = { words: 'to send you a message', meaning: 'Your wallet shows it, if it knows its kind.' }

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
<h1>Invitation from ${sender === '' ? 'somebody' : html`<bdi>${sender}</bdi>`}</h1>
<p>They want</p>
<ul>${purposesOf(invitation).map(({ words, meaning }) => html`<li><strong>${words}</strong><br>${meaning}</li>`)}</ul>
${goal === '' ? [] : html`<p>In their own words:</p><blockquote dir="auto">${goal}</blockquote>`}
<p class="note"><strong>Do you expect this invitation?</strong> Name and words are the sender’s own: nobody has checked them.</p>
</section>
<h2>Take it with your wallet</h2>
<div class="ways">
<section>
<h3>On this device</h3>
<p><a class="button" href="${walletAddress(invitation)}">Open the wallet</a></p>
<p class="hint">Nothing happens? Then there is no wallet here that knows such links: scan the code, or copy the address.</p>
</section>
<section>
<h3>On a phone</h3>
<p>Scan this code with the wallet. The phone’s camera does as well: it opens this page there.</p>
<p>${qrCode(short, 'QR code of this invitation')}</p>
</section>
<section>
<h3>By its address</h3>
<p>Paste it into the wallet, or the address of this page. Click it once, or press it for a moment, and all of it is selected:</p>
<p class="address" dir="ltr">${short}</p>
</section>
</div>
<section>
<h2>No wallet yet?</h2>
<p>A wallet is an app that keeps digital documents for you. Ask whoever invites you which one to install: it has to understand
DIDComm, the language of this invitation. Then open this page again. The invitation waits until it is used.</p>
</section>
`,
  )
}
