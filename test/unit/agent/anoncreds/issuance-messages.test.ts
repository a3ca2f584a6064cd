/** Offers, requests and credentials of AnonCreds as the library makes them, and with anything in them that it should never see. */
import * as v from 'valibot'
import { beforeAll, expect, test } from 'vitest'
import { Credential, CredentialRequest, Offer } from '../../../../lib/agent/formats/anoncreds/issuance-messages.ts'
import { issuingMessages } from '../../../support/anoncreds/bare-library.ts'
import { describeWithLibrary } from '../../../support/anoncreds/library.ts'
import type { Json } from '../../../support/stage/in-process-stage.ts'

const SCHEMAS = { offer: Offer, request: CredentialRequest, credential: Credential }
type Message = keyof typeof SCHEMAS
const MESSAGES = Object.keys(SCHEMAS) as Message[]

let honest: Record<Message, Json>

type Path = (string | number)[]

/** The ways to all texts and numbers of a message but the values that the offer is compared with. */
const leaves = (value: unknown, path: Path = []): Path[] => {
  if (path.at(-1) === 'values') return []
  if (typeof value !== 'object' || value === null) return value === null ? [] : [path]
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]))
}

const at = (message: Json, path: Path): Json => path.reduce((within, name) => within[name], message)

const withMember = (message: Json, path: Path, member: unknown): Json => {
  const copy = structuredClone(message)
  at(copy, path.slice(0, -1))[path.at(-1) ?? ''] = member
  return copy
}

/** Numbers in decimals; nonces may have any up to 100 digits, and so are no residues. */
const isNumber = (value: unknown): boolean => typeof value === 'string' && /^[0-9]{20,}$/.test(value)

const numbersOf = (message: Json): Path[] => leaves(message).filter((path) => isNumber(at(message, path)))

const LONG = '9'.repeat(140_000)

describeWithLibrary('of AnonCreds', () => {
  beforeAll(() => {
    honest = issuingMessages()
  })

  test.each(MESSAGES)('%s: messages of the library are accepted unchanged', (message) => {
    expect(v.parse(SCHEMAS[message], honest[message])).toEqual(honest[message])
  })

  test.each(MESSAGES)('%s: unknown members are dropped, wherever they are', (message) => {
    const copy = structuredClone(honest[message])
    const spread = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      if (!Array.isArray(value)) Object.assign(value, { surplus: { [LONG]: LONG } })
      for (const [name, member] of Object.entries(value)) if (name !== 'surplus' && name !== 'values') spread(member)
    }
    spread(copy)
    expect(v.parse(SCHEMAS[message], copy)).toEqual(honest[message])
  })

  test.each(MESSAGES)('%s: long texts, and long, negative or invalid numbers are rejected', (message) => {
    const taken = leaves(honest[message]).flatMap((path) =>
      [LONG, '', {}, [], null, -1, 1.5, 1e21, `-${at(honest[message], path)}`].flatMap((hostile) =>
        v.is(SCHEMAS[message], withMember(honest[message], path, hostile)) ? [`${path.join('.')}: ${hostile}`] : [],
      ),
    )
    // Ids and names are texts; a part that is absent is one that the library misses.
    expect(
      taken.filter((one) => !/entropy: |rev_reg_id: |_id: -|ur: null|xr_cap\.\d\.0: |prover_did: /.test(one)),
    ).toEqual([])
    expect(taken.filter((one) => one.includes(LONG))).toEqual([])
  })

  test.each(MESSAGES)('%s: each number has bounds, and one form', (message) => {
    const numbers = numbersOf(honest[message]).filter((path) => path.at(-1) !== 'nonce')
    expect(numbers.length).toBeGreaterThan(2)
    for (const path of numbers) {
      const number = String(at(honest[message], path))
      const bits = BigInt(number).toString(2).length
      for (const hostile of [`0${number}`, `${number}x`, ` ${number}`, `+${number}`, String(1n << BigInt(bits + 32))])
        expect(v.is(SCHEMAS[message], withMember(honest[message], path, hostile)), `${path}: ${hostile}`).toBe(false)
    }
  })

  test.each<[string, bigint, boolean]>([
    ['2^596', 2n ** 596n, true],
    ['2^596 + 2^119', 2n ** 596n + 2n ** 119n, true],
    ['2^596 - 1', 2n ** 596n - 1n, false],
    ['2^596 + 2^119 + 1', 2n ** 596n + 2n ** 119n + 1n, false],
    ['the prime 2^607 - 1', 2n ** 607n - 1n, false],
    ['the prime 2^9941 - 1', 2n ** 9941n - 1n, false],
  ])('e may be %s: %#', (_, e, isTaken) => {
    const path = ['signature', 'p_credential', 'e']
    expect(v.is(Credential, withMember(honest.credential, path, String(e)))).toBe(isTaken)
  })

  test.each<[string, Path, unknown]>([
    ['another attribute hidden', ['blinded_ms', 'hidden_attributes'], ['master_secret', 'age']],
    ['nothing hidden', ['blinded_ms', 'hidden_attributes'], []],
    ['another secret', ['blinded_ms', 'hidden_attributes'], ['age']],
    ['a prover of more than 1,024 characters', ['prover_did'], 'x'.repeat(1_025)],
  ])('a request with %s is rejected', (_, path, member) => {
    expect(v.is(CredentialRequest, withMember(honest.request, path, member))).toBe(false)
  })

  test('an offer with a proof for more attributes than a schema has is rejected', () => {
    const cap = honest.offer.key_correctness_proof.xr_cap[0][1]
    const caps = (count: number) => Array.from({ length: count }, (_, index) => [`a${index}`, cap])
    const path = ['key_correctness_proof', 'xr_cap']
    expect(v.is(Offer, withMember(honest.offer, path, caps(126)))).toBe(true)
    expect(v.is(Offer, withMember(honest.offer, path, caps(127)))).toBe(false)
  })

  test('a credential is accepted with an accumulator as the library writes it after others were revoked', () => {
    const number = '12127C8FFB8C50E284463BF5B1FF5E8FED422EADB17B17EDA760B28FF07AB517C'
    const accum = Array.from({ length: 6 }, () => `21 ${number}`).join(' ')
    expect(v.is(Credential, withMember(honest.credential, ['rev_reg', 'accum'], accum))).toBe(true)
    for (const hostile of [`${accum} 21`, `${accum} 21 ${number}`, `21 ${number}`, accum.replaceAll(' ', '  ')])
      expect(v.is(Credential, withMember(honest.credential, ['rev_reg', 'accum'], hostile))).toBe(false)
  })

  test('a credential of which the library makes no revocation part is accepted', () => {
    const { credential } = issuingMessages({ revocable: false })
    expect(credential.signature.r_credential).toBeNull()
    expect(v.parse(Credential, credential)).toEqual(credential)
  })
})
