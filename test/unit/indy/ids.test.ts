/** Ids of Indy objects: both spellings, their parts, and what is not an id. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { definitionOf, parseIndyDid, parseIndyId, qualifiedId, unqualifiedId } from '../../../lib/indy/ids.ts'

const DID = 'WgWxqztrNooG92RXvxSTWv'
const QUALIFIED = `did:indy:sovrin:staging:${DID}/anoncreds/v0`

describe.each([
  [`${DID}:2:degree:1.0`, `${QUALIFIED}/SCHEMA/degree/1.0`, { kind: 'schema', name: 'degree', version: '1.0' }],
  [`${DID}:2:Transcript of 100%:1.0.2`, `${QUALIFIED}/SCHEMA/Transcript of 100%/1.0.2`, { name: 'Transcript of 100%' }],
  [
    `${DID}:3:CL:2147483647:tag`,
    `${QUALIFIED}/CLAIM_DEF/2147483647/tag`,
    { kind: 'credentialDefinition', schemaSeqNo: 2147483647, tag: 'tag' },
  ],
  [
    `${DID}:4:${DID}:3:CL:12:tag:CL_ACCUM:first one`,
    `${QUALIFIED}/REV_REG_DEF/12/tag/first one`,
    { kind: 'revocationRegistry', schemaSeqNo: 12, credentialDefinitionTag: 'tag', tag: 'first one' },
  ],
])('%s', (unqualified, qualified, parts) => {
  test('has the same parts in both spellings, and each can be made of the other', () => {
    const id = parseIndyId(unqualified)
    const same = parseIndyId(qualified)
    if (id === undefined || same === undefined) throw new Error('not parsed')
    expect(id).toMatchObject({ ...parts, did: DID })
    expect(id).not.toHaveProperty('namespace')
    expect(same).toEqual({ ...id, namespace: 'sovrin:staging' })
    expect(qualifiedId(id, 'sovrin:staging')).toBe(qualified)
    expect(unqualifiedId(same)).toBe(unqualified)
  })
})

test('a DID has a namespace of one or two parts, or none', () => {
  expect(parseIndyDid(DID)).toEqual({ did: DID })
  expect(parseIndyDid(`did:indy:indicio:${DID}`)).toEqual({ namespace: 'indicio', did: DID })
  expect(parseIndyDid(`did:indy:bcovrin:test:${DID}`)).toEqual({ namespace: 'bcovrin:test', did: DID })
  for (const other of [
    `did:sov:${DID}`,
    `did:indy:${DID}`,
    `did:indy:a:b:c:${DID}`,
    `did:indy:A:${DID}`,
    'did:indy:a:0OIl',
  ])
    expect(parseIndyDid(other), other).toBeUndefined()
})

test('a registry leads to its definition', () => {
  const id = parseIndyId(`${QUALIFIED}/REV_REG_DEF/12/tag/first`)
  if (id?.kind !== 'revocationRegistry') throw new Error('not parsed')
  expect(unqualifiedId(definitionOf(id))).toBe(`${DID}:3:CL:12:tag`)
  expect(definitionOf(id).namespace).toBe('sovrin:staging')
})

test('a name with a slash has no qualified id, which could be read in two ways', () => {
  const id = parseIndyId(`${DID}:2:a/b:1.0`)
  if (id === undefined) throw new Error('not parsed')
  expect(unqualifiedId(id)).toBe(`${DID}:2:a/b:1.0`)
  expect(qualifiedId(id, 'sovrin')).toBeUndefined()
  expect(parseIndyId(`${QUALIFIED}/SCHEMA/a/b/1.0`)).toBeUndefined()
})

test.each([
  ['nothing', ''],
  ['a DID', DID],
  ['a name that is missing', `${DID}:2::1.0`],
  ['a name with a colon', `${DID}:2:a:b:1.0`],
  ['a name with a line break', `${DID}:2:a\nb:1.0`],
  ['a version that is too long', `${DID}:2:degree:${'1'.repeat(33)}`],
  ['a name of half a character', `${DID}:2:\ud800:1.0`],
  ['a version with letters', `${DID}:2:degree:1.0a`],
  ['a DID with a letter that base58 has not', `${DID.replace('W', '0')}:2:degree:1.0`],
  ['a DID that is too short', `${DID.slice(2)}:2:degree:1.0`],
  ['a DID that is too long', `${DID}x:2:degree:1.0`],
  ['a sequence number with a leading zero', `${DID}:3:CL:012:tag`],
  ['a sequence number of more than 32 bits', `${DID}:3:CL:2147483648:tag`],
  ['a definition by the schema’s id', `${DID}:3:CL:${DID}:2:degree:1.0:tag`],
  ['a definition with a part more', `${DID}:3:CL:12:tag:more`],
  ['a definition without a tag', `${DID}:3:CL:12:`],
  ['a definition of another signature', `${DID}:3:BBS:12:tag`],
  ['a registry of another issuer’s definition', `${DID}:4:Th7MpTaRZVRYnPiabds81Y:3:CL:12:tag:CL_ACCUM:first`],
  ['a registry of another object', `${DID}:4:${DID}:2:CL:12:tag:CL_ACCUM:first`],
  ['a registry of a definition of another signature', `${DID}:4:${DID}:3:BBS:12:tag:CL_ACCUM:first`],
  ['a registry with a part more', `${DID}:4:${DID}:3:CL:12:tag:CL_ACCUM:first:more`],
  ['a registry without a tag', `${DID}:4:${DID}:3:CL:12:tag:CL_ACCUM:`],
  ['a registry of a definition without a tag', `${QUALIFIED}/REV_REG_DEF/12//first`],
  ['a registry of another type', `${DID}:4:${DID}:3:CL:12:tag:CL_OTHER:first`],
  ['a registry with an invalid sequence number', `${QUALIFIED}/REV_REG_DEF/012/tag/first`],
  ['an object of no kind', `${QUALIFIED}/OTHER/12/tag`],
  ['an object without a part', `${QUALIFIED}/REV_REG_DEF/12/tag`],
  ['an object with a part more', `${QUALIFIED}/CLAIM_DEF/12/tag/more`],
  ['an object of something else than AnonCreds', `${QUALIFIED.replace('anoncreds', 'other')}/CLAIM_DEF/12/tag`],
  ['an object of a later version', `${QUALIFIED.replace('v0', 'v1')}/CLAIM_DEF/12/tag`],
  ['a query behind the version', `${QUALIFIED}/SCHEMA/degree/1.0?x=1`],
  ['another method', `did:web:example.org/anoncreds/v0/SCHEMA/degree/1.0`],
  ['a name that is too long', `${DID}:2:${'x'.repeat(257)}:1.0`],
  ['an id that is too long', `${DID}:${'2:'.repeat(100_000)}`],
])('%s is not an id', (_, text) => {
  expect(parseIndyId(text)).toBeUndefined()
})

test('a DID of 16 bytes has 21 or 22 characters, a name up to 256, and a version up to 32', () => {
  const longest = `${DID.slice(1)}:2:${'x'.repeat(256)}:${'1'.repeat(32)}`
  expect(parseIndyId(longest)).toMatchObject({ did: DID.slice(1), name: 'x'.repeat(256), version: '1'.repeat(32) })
})

test('whatever is parsed is written in the same way again', () => {
  const part = fc.oneof(fc.string({ minLength: 1, maxLength: 8 }), fc.constantFrom('1.0', '12', 'tag'))
  const text = fc
    .tuple(fc.constantFrom(':2:', ':3:CL:', `:4:${DID}:3:CL:12:`), part, fc.constantFrom(':', '/', ':CL_ACCUM:'), part)
    .map((parts) => DID + parts.join(''))
  fc.assert(
    fc.property(text, (id) => {
      const parsed = parseIndyId(id)
      if (parsed !== undefined) expect(unqualifiedId(parsed)).toBe(id)
    }),
  )
})
