/** Which held credentials are shown for a presentation definition. */
import { describe, expect, test } from 'vitest'
import { chooseCredentials, type StoredCredential } from '../../../lib/presentation-exchange/choose-credentials.ts'
import type { PresentationDefinition } from '../../../lib/presentation-exchange/definition-schema.ts'
import { Work, WorkLimitError } from '../../../lib/presentation-exchange/work.ts'

const ME = 'did:key:me'

const held = (
  id: string,
  { json = { credentialSubject: { id: ME, name: id } }, ...more }: Partial<StoredCredential> = {},
): StoredCredential => ({
  ...{ id, json },
  claims: async () => json,
  proofType: 'Ed25519Signature2018',
  subjects: [ME],
  schemaNames: new Set([
    ...['https://www.w3.org/2018/credentials/v1', 'VerifiableCredential', 'Degree', 'https://example.org/Degree'],
    ...['https://www.w3.org/2018/credentials#VerifiableCredential', 'https://example.org/schema'],
  ]),
  ...more,
})

const [first, second, third] = [held('first'), held('second'), held('third')]

const choose = async (
  definition: Omit<PresentationDefinition, 'id'>,
  {
    all = [first, second, third],
    named = {},
  }: { all?: StoredCredential[]; named?: Record<string, StoredCredential[]> } = {},
) => {
  const wanted = {
    definition: { id: 'it', ...definition },
    others: all,
    named: new Map(Object.entries(named)),
    signer: ME,
  }
  const chosen = await chooseCredentials(wanted, new Work())
  return Array.isArray(chosen) ? chosen.map(({ descriptorId, credential }) => [descriptorId, credential.id]) : chosen
}

const nameIs = (name: string) => ({ fields: [{ path: ['$.credentialSubject.name'], filter: { const: name } }] })

describe('without submission requirements', () => {
  test('each descriptor gets the first credential that meets it', async () => {
    const input_descriptors = [{ id: 'any' }, { id: 'third', constraints: nameIs('third') }]
    expect(await choose({ input_descriptors })).toEqual([
      ['any', 'first'],
      ['third', 'third'],
    ])
  })

  test('the claims of a credential decide, and those are read first whose JSON meets the constraints', async () => {
    const read: string[] = []
    const claiming = (id: string, name: string, claimed?: string) => {
      const claims = claimed && { credentialSubject: { id: ME, name: claimed } }
      const json = { credentialSubject: { id: ME, name } }
      return held(id, { json, claims: async () => read.push(id) && claims })
    }
    const all = [claiming('other', 'b', 'b'), claiming('mistaken', 'a', 'b'), claiming('unreadable', 'a')]
    const suitable = claiming('suitable', 'b', 'a')
    const input_descriptors = [{ id: 'it', constraints: nameIs('a') }]
    expect(await choose({ input_descriptors }, { all: [...all, suitable] })).toEqual([['it', 'suitable']])
    expect(read).toEqual(['mistaken', 'unreadable', 'other', 'suitable'])
    const named = { it: [held('unreadable', { claims: async () => undefined })] }
    expect(await choose({ input_descriptors }, { named })).toMatchObject({ reason: expect.stringContaining('be read') })
  })

  test('nothing is shown if no credential meets one descriptor', async () => {
    const input_descriptors = [{ id: 'any' }, { id: 'none', constraints: nameIs('none') }]
    expect(await choose({ input_descriptors })).toEqual({ reason: 'no held credential satisfies "none"' })
  })

  test.each([
    ['a context', 'https://www.w3.org/2018/credentials/v1'],
    ['a type', 'Degree'],
    ["a type's full IRI", 'https://example.org/Degree'],
    ['a credentialSchema', 'https://example.org/schema'],
  ])('a schema is found as %s', async (_, uri) => {
    expect(await choose({ input_descriptors: [{ id: 'it', schema: [{ uri }] }] })).toEqual([['it', 'first']])
  })

  test.each<[string, Partial<StoredCredential>, Partial<PresentationDefinition['input_descriptors'][0]>]>([
    ['of another schema', {}, { schema: [{ uri: 'https://example.org/Other' }] }],
    ['with a proof that is not permitted', {}, { format: { ldp_vc: { proof_type: ['Ed25519Signature2020'] } } }],
    ['about another subject', { subjects: ['did:key:other'] }, {}],
  ])('no credential %s is shown', async (_, more, descriptor) => {
    expect(await choose({ input_descriptors: [{ id: 'it', ...descriptor }] }, { all: [held('it', more)] })).toEqual({
      reason: 'no held credential satisfies "it"',
    })
  })

  test('no credential is shown with a proof that the definition does not permit', async () => {
    const format = { ldp_vc: { proof_type: ['Ed25519Signature2020'] } }
    expect(await choose({ format, input_descriptors: [{ id: 'it' }] })).toEqual({
      reason: 'no held credential satisfies "it"',
    })
  })

  test('the first ten descriptors that no credential meets are named', async () => {
    const input_descriptors = Array.from({ length: 11 }, (_, n) => ({ id: `d${n}`, constraints: nameIs('none') }))
    const named = '"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9"'
    expect(await choose({ input_descriptors })).toEqual({ reason: `no held credential satisfies ${named}` })
  })

  test('a bearer credential (no subject id) is shown', async () => {
    const bearer = held('bearer', { json: { credentialSubject: { name: 'bearer' } }, subjects: [] })
    expect(await choose({ input_descriptors: [{ id: 'it' }] }, { all: [bearer] })).toEqual([['it', 'bearer']])
  })
})

describe('with submission requirements', () => {
  const input_descriptors = ['a', 'b', 'c'].map((id) => ({ id, group: ['G'] }))
  const pick = (more: object) => ({
    submission_requirements: [{ rule: 'pick' as const, from: 'G', ...more }],
    input_descriptors,
  })

  test.each<[object, string[]]>([
    [{}, ['a']],
    [{ count: 2 }, ['a', 'b']],
    [{ count: 2, min: 1 }, ['a', 'b']],
    [{ min: 1, max: 3 }, ['a']],
    [{ min: 0 }, []],
  ])('no more is shown than %j asks for', async (more, shown) => {
    expect(await choose(pick(more))).toEqual(shown.map((id) => [id, 'first']))
  })

  test('an exact number is met beside a smaller minimum, also of more descriptors than are searched', async () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ id: `d${n}`, group: ['G'] }))
    const definition = { ...pick({ count: 2, min: 1 }), input_descriptors: many }
    expect(await choose(definition)).toEqual([
      ['d0', 'first'],
      ['d1', 'first'],
    ])
  })

  test('what is named is shown in the first place', async () => {
    expect(await choose(pick({}), { named: { c: [second] } })).toEqual([['c', 'second']])
  })

  test('all that is named is shown, also where fewer would do', async () => {
    const named = { a: [first], c: [second] }
    expect(await choose(pick({ min: 1, max: 2 }), { named })).toEqual([
      ['a', 'first'],
      ['c', 'second'],
    ])
  })

  test('more that is named than may be shown is rejected', async () => {
    const named = { a: [first], b: [second] }
    expect(await choose(pick({ count: 1 }), { named })).toMatchObject({ reason: expect.any(String) })
  })

  test('a credential for a descriptor that no requirement uses is rejected', async () => {
    const definition = { ...pick({}), input_descriptors: [...input_descriptors, { id: 'd' }] }
    expect(await choose(definition, { named: { d: [second] } })).toEqual({
      descriptorId: 'd',
      reason: 'is not used by any submission requirement',
    })
  })

  test('a group that lacks a credential is skipped, also if there are too many combinations to try all', async () => {
    const definition = {
      input_descriptors: [
        ...Array.from({ length: 12 }, (_, index) => ({ id: `${index}`, group: ['G'] })),
        { id: 'd', group: ['G'], schema: [{ uri: 'https://example.org/other' }] },
        { id: 'b', group: ['H'] },
      ],
      submission_requirements: [
        { rule: 'pick' as const, from_nested: ['G', 'H'].map((from) => ({ rule: 'all' as const, from })) as never },
      ],
    }
    expect(await choose(definition)).toEqual([['b', 'first']])
  })

  test('all of a group, or of nested requirements, is shown or nothing', async () => {
    const all = (from_nested: object[]) => ({
      submission_requirements: [{ rule: 'all' as const, from_nested: from_nested as never }],
      input_descriptors,
    })
    const groups = [
      { rule: 'all', from: 'G' },
      { rule: 'pick', from: 'G', count: 3 },
    ]
    expect(await choose(all(groups))).toHaveLength(3)
    expect(await choose(all([...groups, { rule: 'pick', from: 'G', count: 4 }]))).toMatchObject({
      reason: expect.any(String),
    })
  })
})

describe('with submission requirements that share descriptors', () => {
  const requirement = (from: string, more: object) => ({ rule: 'pick' as const, from, ...more })
  const shared = (more: object, more2: object = more) => ({
    submission_requirements: [requirement('G', more), requirement('H', more2)],
    input_descriptors: [
      { id: 'a', group: ['G'] },
      { id: 'b', group: ['G', 'H'] },
      { id: 'c', group: ['H'] },
      { id: 'none', group: ['G', 'H'], constraints: nameIs('none') },
    ],
  })

  test('the fewest are shown that meet exact counts', async () => {
    expect(await choose(shared({ count: 1 }))).toEqual([['b', 'first']])
    expect(await choose(shared({ min: 1, max: 1 }))).toEqual([['b', 'first']])
    expect(await choose(shared({ count: 2 }, { count: 1 }))).toEqual([
      ['a', 'first'],
      ['b', 'first'],
    ])
  })

  test('one that meets all requirements is preferred to two that do', async () => {
    const definition = {
      submission_requirements: ['G', 'H', 'I'].map((from) => requirement(from, { count: 1 })),
      input_descriptors: [
        { id: 'a', group: ['G', 'H'] },
        { id: 'b', group: ['G', 'I'] },
        { id: 'c', group: ['H'] },
        { id: 'd', group: ['G', 'H', 'I'] },
      ],
    }
    expect(await choose(definition)).toEqual([['d', 'first']])
  })

  test('with what is named', async () => {
    expect(await choose(shared({ count: 1 }), { named: { c: [second] } })).toEqual([
      ['a', 'first'],
      ['c', 'second'],
    ])
    expect(await choose(shared({ count: 1 }), { named: { a: [first], b: [first] } })).toMatchObject({
      reason: expect.any(String),
    })
  })

  test.each([
    [12, 'searched'],
    [13, 'not searched'],
  ])('the combinations of %i descriptors are %s', async (length, outcome) => {
    const more = Array.from({ length: length - 3 }, (_, n) => ({ id: `d${n}`, group: ['G'] }))
    const definition = shared({ count: 1 })
    const input_descriptors = [...definition.input_descriptors, ...more, { id: 'of no group' }]
    const chosen = await choose({ ...definition, input_descriptors })
    expect(Array.isArray(chosen) ? 'searched' : 'not searched').toBe(outcome)
  })

  test('of many nothing is searched, and of requirements that would take too long not all', async () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ id: `d${n}`, group: ['G'] }))
    const definition = shared({ count: 1 })
    const input_descriptors = [...definition.input_descriptors, ...many]
    expect(await choose({ ...definition, input_descriptors })).toMatchObject({ reason: expect.any(String) })
    const impossible = [requirement('G', { count: 1 }), requirement('G', { count: 2 })]
    const submission_requirements = Array.from({ length: 10_000 }, () => impossible).flat()
    expect(await choose({ ...definition, submission_requirements })).toMatchObject({ reason: expect.any(String) })
  })

  test('a search without success for one signer leaves enough work for the other signers', async () => {
    const definition = {
      id: 'it',
      submission_requirements: [
        requirement('G', { count: 1, name: 'One of yours. '.repeat(12) }),
        requirement('H', { count: 2, name: 'And two of these. '.repeat(12) }),
      ],
      input_descriptors: [
        { id: 'a', group: ['G', 'H'] },
        { id: 'b', group: ['G', 'H'], constraints: nameIs('first') },
        { id: 'c', group: ['H'], constraints: nameIs('their') },
        ...Array.from({ length: 10 }, (_, n) => ({ id: `d${n}`, group: ['other'] })),
      ],
    }
    const theirs = 'did:key:they'
    const others = [first, held('their', { subjects: [theirs] })]
    const work = new Work()
    const chosenBy = (signer: string) => chooseCredentials({ definition, others, named: new Map(), signer }, work)
    for (let n = 0; n < 9; n++) expect(await chosenBy(ME)).toMatchObject({ reason: expect.any(String) })
    expect(await chosenBy(theirs)).toMatchObject([{ descriptorId: 'a' }, { descriptorId: 'c' }])
    await expect(chosenBy(ME).then(() => chosenBy(ME))).rejects.toThrow(WorkLimitError)
  })
})

describe('what is named', () => {
  const input_descriptors = [{ id: 'it', constraints: nameIs('second') }, { id: 'other' }]

  test('is shown, and the rest is chosen', async () => {
    expect(await choose({ input_descriptors }, { named: { it: [second] } })).toEqual([
      ['it', 'second'],
      ['other', 'first'],
    ])
  })

  test('may be several credentials for one descriptor', async () => {
    const named = { other: [second, third] }
    expect(await choose({ input_descriptors }, { named })).toEqual([
      ['it', 'second'],
      ['other', 'second'],
      ['other', 'third'],
    ])
  })

  test.each([[[third]], [[second, third]]])('is rejected if one does not suit', async (it) => {
    expect(await choose({ input_descriptors }, { named: { it } })).toEqual({
      descriptorId: 'it',
      reason: 'does not meet the constraint fields.0',
    })
  })

  test('is rejected for an unknown descriptor', async () => {
    expect(await choose({ input_descriptors }, { named: { none: [first] } })).toEqual({
      descriptorId: 'none',
      reason: 'is not a descriptor of the request',
    })
  })
})

test('a definition that takes too much work ends', async () => {
  const json = { credentialSubject: { id: ME, list: Array.from({ length: 5000 }, () => 'a'.repeat(2000)) } }
  const fields = Array.from({ length: 50 }, () => ({ path: ['$..*'], filter: { pattern: '^(a|b)*c$' } }))
  const all = Array.from({ length: 50 }, (_, index) => held(`${index}`, { json }))
  const chosen = choose({ input_descriptors: [{ id: 'it', constraints: { fields } }] }, { all })
  await expect(chosen).rejects.toThrow(WorkLimitError)
})
