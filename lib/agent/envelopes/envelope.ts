/** Envelopes of DIDComm v1 (Aries RFC 0019): their schema, checked before any other work. */
import * as v from 'valibot'
import { AgentError } from '../../errors.ts'
import { parseBase64 } from '../../json.ts'
import { KEY_BYTES, Verkey } from '../keys/index.ts'

/** Each recipient costs a lookup, and unauthenticated senders choose their number. */
const MAX_RECIPIENTS = 16

/** Characters of the protected header. 16 recipients, as ACA-Py and Credo write them, take about 9,000. */
const MAX_HEADER = 16_384

/** What libsodium's crypto_box adds to a message. */
const BOX_BYTES = 16
/** What crypto_box_seal adds: an ephemeral public key and a box. */
const SEAL_BYTES = KEY_BYTES + BOX_BYTES
/** With or without padding: wallets send both. */
const BASE64URL = /^[A-Za-z0-9_-]*={0,2}$/

/** Bytes in base64url. */
const bytes = (minBytes: number, maxBytes = minBytes) =>
  v.pipe(
    v.string(),
    v.check((text) => {
      const length = Buffer.byteLength(text, 'base64url')
      return length >= minBytes && length <= maxBytes && BASE64URL.test(text)
    }),
  )

const Absent = v.nullish(v.null())

const recipients = <Recipient extends v.GenericSchema<unknown, { header: { kid: string } }>>(recipient: Recipient) =>
  v.pipe(
    v.array(recipient),
    v.minLength(1),
    v.maxLength(MAX_RECIPIENTS),
    v.check((all) => new Set(all.map(({ header }) => header.kid)).size === all.length),
  )

/** The content key in a box of the sender, and the sender's verkey sealed for the recipient. */
const AuthcryptRecipient = v.object({
  encrypted_key: bytes(KEY_BYTES + BOX_BYTES),
  header: v.object({ kid: Verkey, sender: bytes(SEAL_BYTES + 32, SEAL_BYTES + 44), iv: bytes(24) }),
})

/** The content key, sealed. */
const AnoncryptRecipient = v.object({
  encrypted_key: bytes(KEY_BYTES + SEAL_BYTES),
  header: v.object({ kid: Verkey, sender: Absent, iv: Absent }),
})

const common = { typ: v.literal('JWM/1.0'), enc: v.literal('xchacha20poly1305_ietf') }

const Header = v.variant('alg', [
  v.object({ ...common, alg: v.literal('Authcrypt'), recipients: recipients(AuthcryptRecipient) }),
  v.object({ ...common, alg: v.literal('Anoncrypt'), recipients: recipients(AnoncryptRecipient) }),
])

export type EnvelopeHeader = v.InferOutput<typeof Header>

const Texts = v.object({ protected: v.string(), iv: v.string(), ciphertext: v.string(), tag: v.string() })

/** The nonce has 12 bytes whatever `enc` says: wallets use libsodium's ChaCha20-Poly1305-IETF. */
const Envelope = v.object({
  protected: v.pipe(v.string(), v.maxLength(MAX_HEADER)),
  iv: bytes(12),
  ciphertext: bytes(1, Number.POSITIVE_INFINITY),
  tag: bytes(16),
})

/** An envelope. All members but `protected`, which is authenticated as text, are base64url. */
export type Envelope = v.InferOutput<typeof Envelope>

/** Validates an envelope without any lookup. Throws `request.malformed`. */
export const readEnvelope = (body: unknown): Envelope => {
  if (!v.is(Texts, body)) throw new AgentError('request.malformed', 'the body is not a DIDComm envelope (RFC 0019)')
  const envelope = v.safeParse(Envelope, body)
  if (!envelope.success) throw cannotHandleError()
  readHeader(envelope.output)
  return envelope.output
}

/** The protected header of an envelope. Throws `request.malformed`. */
export const readHeader = ({ protected: text }: Pick<Envelope, 'protected'>): EnvelopeHeader => {
  const header = v.safeParse(Header, parseBase64(text))
  if (!header.success) throw cannotHandleError()
  return header.output
}

/** The error for any envelope that can't be handled. It gives no reason, because that would help only attackers. */
export const cannotHandleError = (cause?: unknown): AgentError =>
  new AgentError('request.malformed', 'this agent cannot handle the message', { cause })
