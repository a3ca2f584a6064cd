/** Junk that an unauthenticated caller may post to an agent: each shape costs its sender nothing, and must cost the agent almost nothing. */
import { randomBytes } from 'node:crypto'
import { type HandMade, handMade, unknownKid } from './hand-made-envelope.ts'

/** Largest body that a function takes, in bytes. */
const MAX_BODY = 256 * 1024
/** Bytes of a message whose envelope just fits into it. */
const MAX_MESSAGE = 180_000

const noise = (bytes: number): string => randomBytes(bytes).toString('base64url')

/** JSON as text: JSON.stringify would fail on the first. */
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const listed = (count: number, value: string): string => `[${new Array(count).fill(value).join()}]`

/** A body made of an envelope for `kid`. */
const sent =
  (options: Partial<HandMade>, altered: object = {}) =>
  (kid: string): string =>
    JSON.stringify({ ...handMade({ kid, ...options }), ...altered })

const withHeader = (text: string) => sent({}, { protected: Buffer.from(text).toString('base64url') })

const recipient = (kid: unknown) => ({ encrypted_key: noise(80), header: { kid } })
const unknownRecipients = (count: number) => Array.from({ length: count }, () => recipient(unknownKid()))

/** The recipients take the place of the one that the envelope is for. */
const withRecipients = (recipients: unknown[], altered: object = {}) =>
  sent({ header: (header) => ({ ...header, recipients }) }, altered)

/** A message that has a type and an id. */
const message = (member: string): string => `{"@type":"https://didcomm.org/a/1.0/b","@id":"x",${member}}`

/** Bodies by name, each made for `kid`: a key of the agent, as shown in an invitation. */
export const JUNK: Record<string, (kid: string) => string> = {
  'an empty object': () => '{}',
  'what is no JSON': () => '{'.repeat(MAX_BODY),
  'a body that is nested without end': () => `{"a":${nested(131_000)}}`,
  'a body that is a long list': () => `{"a":${listed(131_000, '0')}}`,
  'a body of many empty objects': () => `{"a":${listed(87_000, '{}')}}`,
  'a body of many members': () => `{${Array.from({ length: 20_000 }, (_, at) => `"${at}":${at}`).join()}}`,
  'parts without text': sent({}, { protected: '', iv: '', ciphertext: '', tag: '' }),
  'a header without end': sent({}, { protected: 'e'.repeat(250_000) }),
  'a header that is nested without end': withHeader(nested(6_000)),
  'a header that is null': withHeader('null'),
  'a header that names a prototype': withHeader('{"__proto__":{"alg":"Anoncrypt"}}'),
  'an alg of none': sent({ header: (header) => ({ ...header, alg: 'none' }) }),
  'no recipients': withRecipients([]),
  '16 unknown recipients': withRecipients(unknownRecipients(16)),
  '17 unknown recipients': withRecipients(unknownRecipients(17)),
  '1,800 unknown recipients': withRecipients(unknownRecipients(1_800).map(({ header }) => ({ header }))),
  'an unknown recipient and a long ciphertext': withRecipients(unknownRecipients(1), {
    ciphertext: noise(MAX_MESSAGE),
  }),
  'a kid without end': withRecipients([recipient('2'.repeat(190_000))]),
  'a kid that is a list': (kid) => withRecipients([recipient([kid])])(kid),
  'the same recipient twice': (kid) => withRecipients([recipient(kid), recipient(kid)])(kid),
  'our key after 15 others': (kid) => withRecipients([...unknownRecipients(15), recipient(kid)])(kid),
  'our key and noise': (kid) => withRecipients([recipient(kid)], { ciphertext: noise(MAX_MESSAGE) })(kid),
  'our key, and a long ciphertext that was altered': sent({ plaintext: 'x'.repeat(MAX_MESSAGE) }, { tag: noise(16) }),
  'our key, and a sender that is noise': sent({ sender: 'x'.repeat(44) }),
  'our key, and a sender that has not packed it': sent({ sender: unknownKid() }),
  'a message that is noise': sent({ plaintext: randomBytes(MAX_MESSAGE) }),
  'a message that is null': sent({ plaintext: null }),
  'a message that is nested without end': sent({ plaintext: nested(MAX_MESSAGE / 2) }),
  'a message that is a long list': sent({ plaintext: listed(MAX_MESSAGE / 2, '0') }),
  'a message with a long list': sent({ plaintext: message(`"a":${listed(80_000, '0')}`) }),
  'a message of many empty objects': sent({ plaintext: message(`"formats":${listed(55_000, '{}')}`) }),
  'a message of many attachments': sent({
    plaintext: message(`"presentations~attach":${listed(6_000, '{"data":{"base64":"e30"}}')}`),
  }),
  'a message whose type has no end': sent({ plaintext: { '@type': 'x'.repeat(170_000), '@id': 'x' } }),
}
