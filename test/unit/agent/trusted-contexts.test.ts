/** Inline contexts of a credential: accepted if each term means the same as in a context that the verifier trusts. */
import { CredoError } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import '../../../lib/agent/compose.ts'
import { currentAgent } from '../../../lib/agent/credo/current.ts'
import { CREDENTIALS_V1 } from '../../../lib/agent/formats/json-ld/bundled-contexts.ts'
import bbs from '../../../lib/agent/formats/json-ld/contexts/bbs-v1.json' with { type: 'json' }
import citizenship from '../../../lib/agent/formats/json-ld/contexts/citizenship-v1.json' with { type: 'json' }
import { storeContext } from '../../../lib/agent/formats/json-ld/stored-contexts.ts'
import { withTrustedContexts } from '../../../lib/agent/formats/json-ld/trusted-contexts.ts'
import { readVerifierContexts } from '../../../lib/agent/formats/json-ld/verifier-contexts.ts'
import { currentUnit, transaction } from '../../../lib/store/transaction.ts'
import { MAX_LINEAR_MS, processorTime } from '../../support/processor-time.ts'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { useTable } from '../store/use-table.ts'

await useTable({ memory: true, check: false })

const OWN = 'https://contexts.example/own/v1'
const VOCABULARY = 'https://contexts.example/vocabulary/v1'
const EXAMPLES = 'https://example.org/'

/** What the verifier trusts. */
const own = {
  ex: EXAMPLES,
  degree: 'ex:degree',
  honour: { '@id': 'ex:honour' },
  school: { '@id': 'ex:school', '@type': '@id' },
  list: { '@id': 'ex:list', '@container': '@list' },
  motto: { '@id': 'ex:motto', '@language': 'la', '@direction': 'ltr', '@protected': true },
  courses: { '@reverse': 'ex:student' },
  campus: { '@id': 'ex:campus/', '@prefix': true },
  Title: { '@id': 'ex:Title', '@context': { rank: 'ex:rank' } },
}
const vocabulary = { '@vocab': 'https://vocabulary.example/', word: 'https://vocabulary.example/word' }
/** An inline context with it has more than 32 KiB. */
const large = { long: `${EXAMPLES}${'x'.repeat(40_000)}` }
const LARGE = 'https://contexts.example/large/v1'
const SEVERAL = 'https://contexts.example/several/v1'
const several = [{ one: `${EXAMPLES}one` }, { two: { '@id': `${EXAMPLES}two`, '@context': { three: `${EXAMPLES}3` } } }]
const BESIDE = 'https://contexts.example/beside/v1'
const beside = { '@language': 'de', four: `${EXAMPLES}four` }
const TRUSTED: Record<string, object> = {
  [OWN]: { '@context': own },
  [VOCABULARY]: { '@context': vocabulary },
  [LARGE]: { '@context': large },
  [SEVERAL]: { '@context': several },
  [BESIDE]: { '@context': [CREDENTIALS_V1, beside] },
  'https://contexts.example/alias/v1': { '@context': OWN },
  'urn:contexts:six': { '@context': { six: `${EXAMPLES}six` } },
  'http://localhost/seven': { '@context': { seven: `${EXAMPLES}seven` } },
  // In place of the one that the service carries.
  'https://w3id.org/security/bbs/v1': { '@context': { five: `${EXAMPLES}five` } },
}

await transaction('acme', async () => {
  for (const document of Object.values(TRUSTED)) await storeContext(currentUnit(), 'acme', JSON.stringify(document))
})

/** Checks a presentation of a credential with these contexts, and returns the credential to verify. */
const check = (contexts: unknown[], claims: object = {}, more: object = {}): Promise<Json> =>
  transaction('acme', async () => {
    const stored = Object.entries(TRUSTED).map(async ([address, document]) => ({
      address,
      stored: await storeContext(currentUnit(), 'acme', JSON.stringify(document)),
    }))
    const reading = await readVerifierContexts((await currentAgent()).context, [
      { address: CREDENTIALS_V1 },
      ...(await Promise.all(stored)),
    ])
    const credentialSubject = { id: 'did:example:holder', [`${EXAMPLES}degree`]: 'Bachelor', ...claims }
    const credential = { '@context': [CREDENTIALS_V1, ...contexts], credentialSubject, ...more }
    const presentation = { '@context': [CREDENTIALS_V1], verifiableCredential: [credential] }
    // As it comes in a message.
    const trusted = await withTrustedContexts(JSON.parse(JSON.stringify(presentation)), reading)
    return Object(trusted).verifiableCredential[0]
  })

const expectNotTrusted = async (checked: Promise<Json>, reason = 'not trusted'): Promise<void> => {
  const error = await checked.catch((error) => error)
  expect(error).toBeInstanceOf(CredoError)
  expect(error.message).toContain(reason)
}

const reversed = (json: unknown): unknown =>
  Array.isArray(json) || typeof json !== 'object' || json === null
    ? json
    : Object.fromEntries(
        Object.entries(json)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      )

describe('a trusted document in full counts as its address', () => {
  test.each<[string, unknown[], unknown[]]>([
    ['with contexts of its terms', [own], [OWN]],
    ['in any order of members', [reversed(own)], [OWN]],
    ['with a vocabulary', [{ degree: `${EXAMPLES}degree` }, vocabulary], [{ degree: `${EXAMPLES}degree` }, VOCABULARY]],
    ['whatever its size', [large], [LARGE]],
    ['as the whole document', [{ '@context': own }], [OWN]],
    ['where it has several contexts', [own, ...several, own], [OWN, SEVERAL, OWN]],
    ['where it has addresses too', [CREDENTIALS_V1, beside], [CREDENTIALS_V1, BESIDE]],
    ['where the service carries it', [citizenship['@context']], ['https://w3id.org/citizenship/v1']],
    ['and an address is unchanged', [OWN, own], [OWN, OWN]],
  ])('%s', async (_, contexts, expected) => {
    expect((await check(contexts))['@context']).toEqual([CREDENTIALS_V1, ...expected])
  })

  test.each([{ six: `${EXAMPLES}six` }, { seven: `${EXAMPLES}seven` }])(
    'and %o is unchanged, because Credo rejects such an address',
    async (context) => {
      expect((await check([context]))['@context']).toEqual([CREDENTIALS_V1, context])
    },
  )

  test('wherever it stands', async () => {
    const nested = (context: unknown) => ({ knows: [{ '@context': context, degree: 'Bachelor' }] })
    const issuer = (context: unknown) => ({ issuer: { id: 'did:example:issuer', '@context': context } })
    expect(await check([OWN], nested(own), issuer(several))).toEqual(
      await check([OWN], nested([OWN]), issuer([SEVERAL])),
    )
  })

  test.each<[string, unknown[]]>([
    ['with another context of a term', [{ ...own, Title: { ...own.Title, '@context': { rank: 'ex:other' } } }]],
    ['with a member more', [{ ...vocabulary, '@base': EXAMPLES }]],
    ['in another order of contexts', several.toReversed()],
    ['in part', several.slice(1)],
    ['in a list of its own', [several]],
    ['within another one', [{ Title: { '@id': `${EXAMPLES}Title`, '@context': own } }]],
    ['where the verifier has another document at its address', [bbs['@context']]],
  ])('and not %s', (_, contexts) => expectNotTrusted(check(contexts)))

  test('and a member of that name in a JSON literal stays what was signed', async () => {
    const claims = { data: { '@type': '@json', '@value': { '@context': OWN } } }
    expect(await check([own], claims)).toMatchObject({ credentialSubject: claims })
  })

  test('many at little cost', async () => {
    const knows = Array.from({ length: 6_000 }, () => ({ '@context': {} }))
    const spent = processorTime()
    await expectNotTrusted(check([own], { knows }))
    expect(spent()).toBeLessThan(MAX_LINEAR_MS)
  })
})

test.each<[string, unknown[]]>([
  ['the whole of a trusted one, but for contexts of its terms', [{ ...own, Title: undefined }]],
  ['some of its terms', [{ degree: `${EXAMPLES}degree` }]],
  ['a term by another spelling', [{ degree: { '@id': `${EXAMPLES}degree` } }]],
  ['a term by a prefix of its own that is a trusted one', [{ ex: EXAMPLES, degree: 'ex:degree' }]],
  ['a term by a prefix of the context before it', [OWN, { degree: 'ex:degree' }]],
  ['a term by the vocabulary of the context before it', [VOCABULARY, { word: 'word' }]],
  ['a term of a context that the service carries', [{ name: 'http://schema.org/name' }]],
  ['a version, and protection', [{ '@version': 1.1, '@protected': true, degree: `${EXAMPLES}degree` }]],
  ['several', [{ degree: `${EXAMPLES}degree` }, { honour: `${EXAMPLES}honour` }]],
  ['nothing', [{}]],
])('is accepted with %s', async (_, contexts) => {
  await check(contexts)
})

const importing = { '@version': 1.1, '@import': OWN, degree: 'ex:degree' }

test.each<[string, unknown[]]>([
  ['a term of its own', [{ grade: `${EXAMPLES}grade` }]],
  ['a term with the IRI of another', [{ degree: `${EXAMPLES}honour` }]],
  [
    'the text of a trusted definition, whose prefix it redefines',
    [{ ex: 'https://evil.example/', degree: 'ex:degree' }],
  ],
  ['the text of a trusted definition, whose prefix it has not', [{ degree: 'ex:degree' }]],
  ['a prefix that is a trusted IRI', [{ exam: EXAMPLES, degree: 'exam:degree' }]],
  ['a prefix where a trusted context has a name', [{ degree: { '@id': `${EXAMPLES}degree`, '@prefix': true } }]],
  ['a name where a trusted context has a prefix', [{ ex: { '@id': EXAMPLES } }]],
  ['a term by a vocabulary that comes too late', [{ word: 'word' }, VOCABULARY]],
  ['a term of a vocabulary that no context lists', [VOCABULARY, { other: 'other' }]],
  ['a term by another vocabulary than the trusted one', [VOCABULARY, { degree: 'degree' }]],
  ['another type', [{ school: `${EXAMPLES}school` }]],
  ['another container', [{ list: { '@id': `${EXAMPLES}list`, '@container': '@set' } }]],
  ['another language', [{ degree: { '@id': `${EXAMPLES}degree`, '@language': 'en' } }]],
  ['no language, where a default would apply', [{ degree: { '@id': `${EXAMPLES}degree`, '@language': null } }]],
  ['the reverse of a term', [{ degree: { '@reverse': `${EXAMPLES}degree` } }]],
  ['a term without meaning', [{ degree: null }]],
  ['a term whose definition the processor ignores', [{ degree: '@ignored' }]],
  ['a type without its own context', [{ Title: `${EXAMPLES}Title` }]],
  ['a type with its own context', [{ ex: EXAMPLES, Title: own.Title }]],
  ['a context of a term', [{ degree: { '@id': `${EXAMPLES}degree`, '@context': {} } }]],
  ['no context of a term', [{ degree: { '@id': `${EXAMPLES}degree`, '@context': null } }]],
  ['a nest', [{ degree: { '@id': `${EXAMPLES}degree`, '@nest': '@nest' } }]],
  ['an index', [{ degree: { '@id': `${EXAMPLES}degree`, '@container': '@index', '@index': 'honour' } }]],
  ['a vocabulary', [{ '@vocab': 'https://vocabulary.example/', word: 'word' }]],
  ['a base', [{ '@base': EXAMPLES, degree: `${EXAMPLES}degree` }]],
  ['a language', [{ '@language': 'en', degree: `${EXAMPLES}degree` }]],
  ['a direction', [{ '@direction': 'ltr', degree: `${EXAMPLES}degree` }]],
  ['propagation', [{ '@propagate': true, degree: `${EXAMPLES}degree` }]],
  ['an import', [importing]],
  ['a keyword as a term', [{ '@type': { '@container': '@set' } }]],
  ['a context in it', [{ '@context': { degree: `${EXAMPLES}degree` } }]],
  ['a list in the list', [[{ degree: `${EXAMPLES}degree` }]]],
  ['null, which forgets the others', [null, { degree: `${EXAMPLES}degree` }]],
  ['no definition', [{ degree: 7 }]],
  [
    'a protected term that a later context redefines',
    [{ '@protected': true, honour: `${EXAMPLES}honour` }, { honour: 7 }],
  ],
  ['more text than any context needs, of a trusted one', [{ ...large, degree: `${EXAMPLES}degree` }]],
  [
    'prefixes that exhaust the stack',
    [Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`t${n}`, `t${n + 1}:`]))],
  ],
])('is rejected with %s', (_, contexts) => expectNotTrusted(check(contexts)))

test.each([
  ['an address', `https://contexts.example/${'x'.repeat(174)}😀`],
  ['a term', { [`${'x'.repeat(99)}😀`]: `${EXAMPLES}degree` }],
])('the reason is not cut within a character of %s: wallets could not read the report', async (_, context) => {
  const error = await check([context]).catch((error) => error)
  expect(error.message).toContain('�')
  expect(error.message.isWellFormed()).toBe(true)
})

test.each<[string, object, object]>([
  ['its subject', { '@context': { degree: `${EXAMPLES}degree` } }, {}],
  ['its issuer', {}, { issuer: { id: 'did:example:issuer', '@context': { degree: `${EXAMPLES}degree` } } }],
  ['a schema', {}, { credentialSchema: { id: 'urn:a', type: 'JsonSchemaValidator2018', '@context': {} } }],
])('is rejected with one in %s', (_, claims, more) =>
  expectNotTrusted(check([OWN], claims, more), 'not trusted: an inline context'),
)

test('is rejected with so many, empty ones too, that to process them takes seconds', async () => {
  const contexts = ['http://schema.org/', ...Array.from({ length: 1_000 }, () => ({}))]
  await expectNotTrusted(check(contexts), 'too often')
})

test('is not checked where one that the verifier trusts is not in the table', async () => {
  const lost = { address: OWN, stored: { scope: 'acme', digest: 'lost' } }
  const read = transaction('acme', async () => readVerifierContexts((await currentAgent()).context, [lost]))
  await expect(read).rejects.toMatchObject({ code: 'internal' })
})
