/** Envelopes that are opened with the key of one of their recipients: those of other wallets, and altered ones. */
import { randomBytes } from 'node:crypto'
import { type AgentContext, type Kms, TypedArrayEncoder } from '@credo-ts/core'
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { describe, expect, test } from 'vitest'
import { readEnvelope, readHeader } from '../../../../lib/agent/envelopes/envelope.ts'
import { decryptEnvelope, unpackMessage } from '../../../../lib/agent/envelopes/unpack-envelope.ts'
import { type HandMade, handMade } from '../../../support/wallets/hand-made-envelope.ts'
import { anoncrypt, authcrypt, message, recipient, recipientJwk, sender } from '../acapy-envelopes.ts'

const open = (body: unknown) => {
  const envelope = readEnvelope(body)
  const mine = readHeader(envelope).recipients.find(({ header }) => header.kid === recipient)
  if (mine === undefined) throw new Error('the envelope is for another recipient')
  return decryptEnvelope(envelope, mine, recipientJwk)
}

const verkeyOf = (key: Kms.PublicJwk<Kms.Ed25519PublicJwk> | undefined) =>
  key && TypedArrayEncoder.toBase58(key.publicKey.publicKey)

const made = (options: Partial<HandMade>) => handMade({ kid: recipient, ...options })

describe('decrypts', () => {
  test('an envelope of ACA-Py, and names its sender', () => {
    const opened = open(authcrypt)
    expect(opened.message).toEqual(message)
    expect(verkeyOf(opened.senderKey)).toBe(sender)
  })

  test('an anonymous envelope of ACA-Py', () => {
    expect(open(anoncrypt)).toEqual({ message, senderKey: undefined })
  })

  test('the hand-made envelope that the next tests alter', () => {
    expect(open(made({ plaintext: { a: 1 } }))).toEqual({ message: { a: 1 }, senderKey: undefined })
  })
})

test('the agent decrypts an envelope with its key, and the message names that key', async () => {
  const kids: string[] = []
  const first = async (_: AgentContext, keyIds: readonly string[]) => {
    kids.push(...keyIds)
    return { keyId: recipient, jwk: recipientJwk, purpose: {} }
  }
  const unpacked = await unpackMessage(Object({}), readEnvelope(authcrypt), { first })
  expect(kids.indexOf(recipient)).toBe(1)
  expect(unpacked).toMatchObject({ plaintextMessage: message, recipientKey: { keyId: recipient } })
  expect([unpacked.recipientKey, unpacked.senderKey].map(verkeyOf)).toEqual([recipient, sender])
})

const otherText = (text: string): string => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`)

/** The box of a content key under a shared secret of zeros, which is what Diffie-Hellman makes of a public key of small order. */
const boxOfZeros = (contentKey: Uint8Array, nonce: Uint8Array): Uint8Array => {
  const sigma = new Uint32Array(new TextEncoder().encode('expand 32-byte k').buffer)
  const key = new Uint32Array(8)
  hsalsa(sigma, new Uint32Array(8), new Uint32Array(4), key)
  return xsalsa20poly1305(new Uint8Array(key.buffer), nonce).encrypt(contentKey)
}

/** Points of small order, and what is not a point (RFC 8032, section 5.1.3). */
const POINTS = {
  'the point of order 1': Buffer.from([1, ...new Array(31).fill(0)]),
  'a point of order 2': Buffer.from([0xec, ...new Array(30).fill(0xff), 0x7f]),
  'a point of order 4': Buffer.alloc(32),
  'no point': Buffer.from([2, ...new Array(31).fill(0)]),
  'a number beyond the field': Buffer.alloc(32, 0xff),
}

describe('does not decrypt', () => {
  test.each(['protected', 'iv', 'ciphertext', 'tag'] as const)('an envelope with an altered %s', (part) => {
    const parts = { ...authcrypt }
    // A letter in the header that stays JSON.
    parts[part] =
      part === 'protected'
        ? Buffer.from(Buffer.from(parts.protected, 'base64url').toString().replace('{"enc"', '{ "enc"')).toString(
            'base64url',
          )
        : otherText(parts[part])
    expect(() => open(parts)).toThrow()
  })

  test('an envelope that names another sender', () => {
    expect(() => open(made({ sender }))).toThrow()
  })

  test.each(Object.entries(POINTS))('an envelope boxed by %s', (_name, point) => {
    const envelope = made({ sender: TypedArrayEncoder.toBase58(point), boxed: boxOfZeros, plaintext: message })
    expect(() => open(envelope)).toThrow()
  })

  test.each([
    ['of 31 bytes', '1'.repeat(31)],
    ['that is not base58', '0'.repeat(43)],
    ['that is a DID', 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca'],
  ])('what names a sender %s', (_name, odd) => {
    expect(() => open(made({ sender: odd }))).toThrow()
  })

  test('an envelope sealed by an ephemeral key of zeros', () => {
    const box = Buffer.concat([Buffer.alloc(32), randomBytes(48)]).toString('base64url')
    const envelope = made({
      header: (header) => ({ ...header, recipients: [{ encrypted_key: box, header: { kid: recipient } }] }),
    })
    expect(() => open(envelope)).toThrow()
  })

  test.each([
    ['no JSON', 'a secret'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['empty', ''],
  ])('what has a message that is %s', (_name, plaintext) => {
    expect(() => open(made({ plaintext }))).toThrow(/^(?!.*secret)/)
  })
})
