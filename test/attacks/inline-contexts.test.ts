/** Contexts that a credential has in full: taken where each term means, in its place, what it means in a context that the verifier trusts. */
import { expect, test } from 'vitest'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { askForProof, CREDENTIALS_V1, issue, present, submissionOf } from '../support/wallets/presentations.ts'

const { stage, caller, wallet } = await useTenantAndWallet()

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
  Title: { '@id': 'ex:Title', '@context': { rank: 'ex:rank' } },
}
const vocabulary = { '@vocab': 'https://vocabulary.example/', word: 'https://vocabulary.example/word' }
const TRUSTED: Json = { [OWN]: { '@context': own }, [VOCABULARY]: { '@context': vocabulary } }

const definition = {
  id: 'degree',
  input_descriptors: [{ id: 'degree', constraints: { fields: [{ path: ['$.credentialSubject.degree'] }] } }],
}

/** What becomes of a credential that its issuer has signed with these contexts. */
const presented = async (contexts: Json[], claims: Json = {}, more: Json = {}): Promise<Json> => {
  const { challenge, answer } = await askForProof(stage, caller, wallet, {
    presentationDefinition: definition,
    options: { contexts: TRUSTED },
  })
  const subject = { id: wallet.did, [`${EXAMPLES}degree`]: 'Bachelor', ...claims }
  const credential = { '@context': [CREDENTIALS_V1, ...contexts], credentialSubject: subject, ...more }
  // The holder may write anything into a credential of its own, also what its library would not sign.
  const signed = await issue(wallet, { ...credential, '@context': [CREDENTIALS_V1, OWN] }, TRUSTED)
  const submission = { presentation_submission: submissionOf(definition) }
  const presentation = await present(wallet, [signed], { challenge, contexts: TRUSTED, more: submission })
  return answer({ ...presentation, verifiableCredential: [{ ...signed, ...credential }] })
}

test.each<[string, Json[]]>([
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
])('is verified with %s', async (_, contexts) => {
  const proof = await presented(contexts)
  expect(proof).toMatchObject({ isVerified: true, state: 'done' })
  const [shown] = proof.presentation.presentationExchange.verifiableCredential
  expect(shown).toMatchObject({
    '@context': [CREDENTIALS_V1, OWN, VOCABULARY],
    credentialSubject: { degree: 'Bachelor' },
  })
})

const importing = { '@version': 1.1, '@import': OWN, degree: 'ex:degree' }

test.each<[string, Json[]]>([
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
  ['more text than any context needs', [{ degree: `${EXAMPLES}${'x'.repeat(40_000)}` }]],
  [
    'prefixes that exhaust the stack',
    [Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`t${n}`, `t${n + 1}:`]))],
  ],
])('is not verified with %s', async (_, contexts) => {
  const proof = await presented(contexts)
  expect(proof).toMatchObject({
    isVerified: false,
    state: 'abandoned',
    errorMessage: expect.stringContaining('not trusted'),
  })
})

test.each<[string, Json, Json]>([
  ['its subject', { '@context': { degree: `${EXAMPLES}degree` } }, {}],
  ['its issuer', {}, { issuer: { id: wallet.did, '@context': { degree: `${EXAMPLES}degree` } } }],
  ['a schema', {}, { credentialSchema: { id: 'urn:a', type: 'JsonSchemaValidator2018', '@context': {} } }],
])('is not verified with one in %s', async (_, claims, more) => {
  expect(await presented([OWN], claims, more)).toMatchObject({
    isVerified: false,
    errorMessage: expect.stringContaining('not trusted: an inline context'),
  })
})

test('is not verified with so many, empty ones too, that to process them takes seconds', async () => {
  const proof = await presented(['http://schema.org/', ...Array.from({ length: 1_000 }, () => ({}))])
  expect(proof).toMatchObject({
    isVerified: false,
    state: 'abandoned',
    errorMessage: expect.stringContaining('too often'),
  })
})

test('a request is checked by the documents that it has, whatever was requested before with the same addresses', async () => {
  const conflicting = { ...TRUSTED, [VOCABULARY]: { '@context': { degree: `${EXAMPLES}other` } } }
  const request = async (contexts: Json): Promise<number> => {
    const presentationExchange = { presentationDefinition: definition, options: { contexts } }
    const body = { protocolVersion: 'v2', proofFormats: { presentationExchange } }
    return (await stage.call('createRequest', { caller, body })).status
  }
  const accepted = await request(TRUSTED)
  expect(accepted).toBeLessThan(300)
  expect([await request(conflicting), await request(TRUSTED), await request(conflicting)]).toEqual([422, accepted, 422])
})
