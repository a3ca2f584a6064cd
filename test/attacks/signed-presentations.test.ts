/** What a holder can write around a signature: `isVerified: true` means what was signed, about the one who signed, in the verifier's terms. */
import { describe, expect, test } from 'vitest'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import {
  askForProof,
  type Contexts,
  CREDENTIALS_V1,
  issue,
  type PresentOptions,
  present,
  submissionOf,
} from '../support/wallets/presentations.ts'
import type { Wallet } from '../wallet/wallet.ts'

const stage = await useStage()
const caller = await createTenant(stage)
const [issuer, holder, thief] = await Promise.all([
  useWallet({ label: 'Issuer' }),
  useWallet({ label: 'Holder', answerProofs: false }),
  useWallet({ label: 'Thief', answerProofs: false }),
])

const DEGREES = 'https://contexts.example/degrees/v1'
const TITLES = 'https://contexts.example/titles/v1'

/** What the verifier knows. */
const TRUSTED: Contexts = {
  [DEGREES]: {
    '@context': {
      Degree: 'https://example.org/Degree',
      degree: 'https://example.org/degree',
      honour: 'https://example.org/honour',
      school: { '@id': 'https://example.org/school', '@type': '@id' },
      thesis: 'https://example.org/thesis',
      grade: 'https://example.org/grade',
    },
  },
  [TITLES]: { '@context': { title: 'https://example.org/title', rank: 'https://example.org/rank' } },
}

const definition = (path = '$.credentialSubject.degree'): Json => ({
  id: 'degree',
  input_descriptors: [{ id: 'degree', schema: [{ uri: CREDENTIALS_V1 }], constraints: { fields: [{ path: [path] }] } }],
})

const ask = (wallet: Wallet, contexts = TRUSTED, presentationDefinition = definition()) =>
  askForProof(stage, caller, wallet, { presentationDefinition, options: { contexts } })

/** Has a wallet present credentials as asked, and changes what it sends after signing. */
const presented = async (
  wallet: Wallet,
  credentials: readonly Json[],
  options: Partial<PresentOptions> = {},
  alter: (presentation: Json) => Json = (presentation) => presentation,
  contexts: Contexts = TRUSTED,
): Promise<Json> => {
  const asked = await ask(wallet, contexts)
  const more = { presentation_submission: submissionOf(asked.definition), ...options.more }
  const presentation = await present(wallet, credentials, { challenge: asked.challenge, contexts, ...options, more })
  return asked.answer(alter(structuredClone(presentation)))
}

const degreeOf = (
  subject: string | undefined,
  claims: Json = { degree: 'Bachelor' },
  contexts: Json = [CREDENTIALS_V1, DEGREES],
) =>
  issue(
    issuer,
    {
      '@context': contexts,
      type: ['VerifiableCredential', 'Degree'],
      credentialSubject: { ...(subject && { id: subject }), ...claims },
    },
    TRUSTED,
  )

const shown = (proof: Json): Json => proof.presentation?.presentationExchange?.verifiableCredential?.[0]

const expectRejected = (proof: Json, reason: RegExp): void => {
  expect(proof).toMatchObject({ isVerified: false, state: 'abandoned', errorMessage: expect.stringMatching(reason) })
}

describe('an honest presentation', () => {
  test('is verified, and shown in the terms of the verifier', async () => {
    const proof = await presented(holder, [await degreeOf(holder.did, { degree: 'Bachelor', honour: 'none' })])
    expect(proof).toMatchObject({ isVerified: true, state: 'done' })
    expect(shown(proof)).toEqual({
      '@context': [CREDENTIALS_V1, DEGREES, TITLES],
      type: ['VerifiableCredential', 'Degree'],
      issuer: issuer.did,
      issuanceDate: '2026-01-01T00:00:00Z',
      credentialSubject: { id: holder.did, degree: 'Bachelor', honour: 'none' },
    })
    expect(JSON.stringify(proof.metadata)).toBe('{}')
  })

  test('may carry a context in full, where it is one that the verifier trusts', async () => {
    const inline = [CREDENTIALS_V1, TRUSTED[DEGREES]['@context']]
    expect(await presented(holder, [await degreeOf(holder.did, { degree: 'Bachelor' }, inline)])).toMatchObject({
      isVerified: true,
    })
  })

  test('may have a bearer credential (no subject id)', async () => {
    expect(await presented(holder, [await degreeOf(undefined)])).toMatchObject({ isVerified: true })
  })
})

describe('what a holder writes around a signature', () => {
  /** The issuer's own context, which a verifier may or may not trust, and one in which two terms have changed places. */
  const Degree = 'https://example.org/Degree'
  const honest = { Degree, degree: 'https://example.org/degree', honour: 'https://example.org/honour' }
  const swapped = { Degree, degree: 'https://example.org/honour', honour: 'https://example.org/degree' }
  const withSwappedValues = (credential: Json): Json => {
    const { degree, honour } = credential.credentialSubject
    return { ...credential, credentialSubject: { ...credential.credentialSubject, degree: honour, honour: degree } }
  }
  const replaceContext = (credential: Json, context: Json): Json => ({ ...credential, '@context': context })

  test('two terms of an inline context, swapped with their values', async () => {
    const credential = await degreeOf(holder.did, { degree: 'Bachelor', honour: 'Master' }, [CREDENTIALS_V1, honest])
    const forged = replaceContext(withSwappedValues(credential), [CREDENTIALS_V1, swapped])
    const proof = await presented(holder, [forged])
    expectRejected(proof, /not trusted: an inline context/)
    expect(JSON.stringify(proof.presentation ?? {})).not.toContain('Master')
  })

  test('the same by address', async () => {
    const credential = await degreeOf(holder.did, { degree: 'Bachelor', honour: 'Master' })
    const theirs = 'https://contexts.example/swapped/v1'
    const forged = replaceContext(withSwappedValues(credential), [CREDENTIALS_V1, theirs])
    const contexts = { ...TRUSTED, [theirs]: { '@context': swapped } }
    expectRejected(await presented(holder, [forged], { contexts }), new RegExp(`not trusted: ${theirs}`))
  })

  test('the same in a nested object', async () => {
    const credential = await degreeOf(holder.did, { degree: 'Bachelor', honour: 'Master' })
    const { degree, honour, ...subject } = credential.credentialSubject
    const forged = {
      ...credential,
      credentialSubject: { '@context': swapped, ...subject, degree: honour, honour: degree },
    }
    expectRejected(await presented(holder, [forged]), /not trusted: an inline context/)
  })

  test.each([
    ['the presentation', (one: Json) => ({ ...one, '@context': [...one['@context'], honest] })],
    ['its proof', (one: Json) => ({ ...one, proof: { '@context': honest, ...one.proof } })],
    [
      'a null in the subject',
      (one: Json) => {
        const [{ credentialSubject, ...credential }] = one.verifiableCredential
        return {
          ...one,
          verifiableCredential: [{ ...credential, credentialSubject: { '@context': null, ...credentialSubject } }],
        }
      },
    ],
  ])('a context of its own in %s', async (_, alter) => {
    expectRejected(await presented(holder, [await degreeOf(holder.did)], {}, alter), /not trusted/)
  })

  test('a trusted context in full, in a nested object, gives no meaning to what was not signed', async () => {
    const { '@context': titles } = TRUSTED[TITLES]
    const subject = { '@context': titles, id: holder.did, degree: 'Bachelor' }
    const credential = await degreeOf(holder.did, subject)
    expect(await presented(holder, [credential])).toMatchObject({ isVerified: true })
    const byAddress = { ...credential, credentialSubject: { ...subject, '@context': TITLES } }
    expect(await presented(holder, [byAddress])).toMatchObject({ isVerified: true })
    const added = { ...credential, credentialSubject: { ...subject, rank: 'Countess' } }
    expectRejected(await presented(holder, [added]), /Invalid signature/)
  })

  test('the order of contexts that are trusted changes nothing', async () => {
    const credential = await degreeOf(holder.did, { degree: 'Bachelor' }, [CREDENTIALS_V1, DEGREES, TITLES])
    const reordered = replaceContext(credential, [CREDENTIALS_V1, TITLES, DEGREES])
    const proof = await presented(holder, [reordered])
    expect(proof).toMatchObject({ isVerified: true })
    expect(shown(proof)).toMatchObject({
      '@context': [CREDENTIALS_V1, DEGREES, TITLES],
      credentialSubject: { degree: 'Bachelor' },
    })
  })

  test('a value under another name of its property is shown under the name that the verifier has for it', async () => {
    const credential = await degreeOf(holder.did, { degree: 'Bachelor' })
    const { degree, ...subject } = credential.credentialSubject
    const renamed = { ...credential, credentialSubject: { ...subject, 'https://example.org/degree': degree } }
    const proof = await presented(holder, [renamed])
    expect(shown(proof).credentialSubject).toEqual({ id: holder.did, degree: 'Bachelor' })
  })

  test('a value that no context has a term for is not shown', async () => {
    const credential = await degreeOf(holder.did)
    const added = { ...credential, credentialSubject: { ...credential.credentialSubject, salary: 'high' } }
    const proof = await presented(holder, [credential], {}, (one) => ({ ...one, verifiableCredential: [added] }))
    expect(proof.isVerified).toBe(false)
    expect(JSON.stringify(proof.presentation ?? {})).not.toContain('high')
  })

  test('a type that no context defines is not shown', async () => {
    const credential = await degreeOf(holder.did)
    const added = { ...credential, type: [...credential.type, 'Professor'] }
    const proof = await presented(holder, [credential], {}, (one) => ({ ...one, verifiableCredential: [added] }))
    expect(proof.isVerified).toBe(false)
    expect(JSON.stringify(proof.presentation ?? {})).not.toContain('Professor')
  })

  test("the order of values is not the holder's", async () => {
    const credential = await degreeOf(holder.did, { grade: ['A', 'F'] })
    const reordered = { ...credential, credentialSubject: { id: holder.did, grade: ['F', 'A'] } }
    expect(shown(await presented(holder, [reordered])).credentialSubject.grade).toEqual(['A', 'F'])
  })

  test('a claim is not moved to another node', async () => {
    const credential = await degreeOf(holder.did, { thesis: { id: 'urn:uuid:thesis', grade: 'A' } })
    const moved = {
      ...credential,
      credentialSubject: { id: holder.did, grade: 'A', thesis: { id: 'urn:uuid:thesis' } },
    }
    expect((await presented(holder, [moved])).isVerified).toBe(false)
  })

  test("another context of Credo's own does not change the meaning of a term", async () => {
    const contexts = [CREDENTIALS_V1, DEGREES, 'http://schema.org/']
    const claims = { degree: 'Bachelor', 'http://schema.org/name': 'Ada', 'http://schema.org/title': 'Countess' }
    const credential = await degreeOf(holder.did, claims, contexts)
    const only = { [DEGREES]: TRUSTED[DEGREES] }
    const named = await presented(holder, [credential], {}, undefined, only)
    expect(shown(named).credentialSubject).toEqual({
      id: holder.did,
      degree: 'Bachelor',
      name: 'Ada',
      title: 'Countess',
    })
    // The verifier has a title of its own: schema.org's stays under its IRI.
    const { title, ...subject } = shown(await presented(holder, [credential])).credentialSubject
    expect(title).toBeUndefined()
    expect(subject).toMatchObject({ 'http://schema.org/title': 'Countess' })
  })

  test('a presentation of no credential, or with two proofs, is rejected before anything verifies it', async () => {
    const credential = await degreeOf(holder.did)
    expectRejected(
      await presented(holder, [credential], {}, (one) => ({ ...one, verifiableCredential: [] })),
      /credentials/,
    )
    expectRejected(
      await presented(holder, [credential], {}, (one) => ({ ...one, proof: [one.proof, one.proof] })),
      /one proof/,
    )
    const twice = { ...credential, proof: [credential.proof, credential.proof] }
    expectRejected(await presented(holder, [twice]), /one proof/)
  })
})

describe('validity is that of what was signed', () => {
  test.each(['expirationDate', 'https://www.w3.org/2018/credentials#expirationDate'])(
    'an expired credential whose date is called %s',
    async (name) => {
      const dateTime = { type: 'http://www.w3.org/2001/XMLSchema#dateTime', '@value': '2020-01-01T00:00:00Z' }
      const credential = await issue(
        issuer,
        {
          '@context': [CREDENTIALS_V1, DEGREES],
          issuanceDate: '2019-01-01T00:00:00Z',
          expirationDate: '2020-01-01T00:00:00Z',
          credentialSubject: { id: holder.did, degree: 'B' },
        },
        TRUSTED,
      )
      const { expirationDate, ...rest } = credential
      expectRejected(
        await presented(holder, [{ ...rest, [name]: name === 'expirationDate' ? expirationDate : dateTime }]),
        /expired/,
      )
    },
  )

  test('a credential of just now by a clock that is a second ahead is waited for', async () => {
    const subject = { id: holder.did, degree: 'B' }
    const issuanceDate = new Date(Date.now() + 1_500).toISOString()
    const credential = await issue(
      issuer,
      { '@context': [CREDENTIALS_V1, DEGREES], issuanceDate, credentialSubject: subject },
      TRUSTED,
    )
    expect(await presented(holder, [credential])).toMatchObject({ isVerified: true })
  })

  test.each(['issuanceDate', 'validFrom'])(
    'a credential that is not valid yet by a second date, a %s which only its graph shows',
    async (date) => {
      const credential = await issue(
        issuer,
        {
          '@context': [CREDENTIALS_V1, DEGREES],
          [`https://www.w3.org/2018/credentials#${date}`]: {
            type: 'http://www.w3.org/2001/XMLSchema#dateTime',
            '@value': '2099-01-01T00:00:00Z',
          },
          credentialSubject: { id: holder.did, degree: 'B' },
        },
        TRUSTED,
      )
      expectRejected(await presented(holder, [credential]), /not valid yet/)
    },
  )

  test('a credential with a status, whatever its property is called', async () => {
    const contexts = [
      CREDENTIALS_V1,
      DEGREES,
      'https://w3c-ccg.github.io/vc-status-rl-2020/contexts/vc-revocation-list-2020/v1.jsonld',
    ]
    const credentialStatus = {
      id: 'https://issuer.example/status/1#3',
      type: 'RevocationList2020Status',
      revocationListIndex: '3',
      revocationListCredential: 'https://issuer.example/status/1',
    }
    const credential = await issue(
      issuer,
      { '@context': contexts, credentialStatus, credentialSubject: { id: holder.did, degree: 'B' } },
      TRUSTED,
    )
    const { credentialStatus: status, ...rest } = credential
    expectRejected(await presented(holder, [credential]), /credentialStatus/)
    expectRejected(
      await presented(holder, [{ ...rest, 'https://www.w3.org/2018/credentials#credentialStatus': status }]),
      /status/,
    )
  })

  test('a credential that is not signed by its issuer', async () => {
    const credential = await issue(
      thief,
      { '@context': [CREDENTIALS_V1, DEGREES], issuer: issuer.did, credentialSubject: { id: thief.did, degree: 'B' } },
      TRUSTED,
    )
    expect((await presented(thief, [credential])).isVerified).toBe(false)
  })

  test('a credential of two issuers, whichever of them has signed it', async () => {
    for (const [signer, other] of [
      [issuer, thief],
      [thief, issuer],
    ] as const) {
      const credential = await issue(
        signer,
        {
          '@context': [CREDENTIALS_V1, DEGREES],
          'https://www.w3.org/2018/credentials#issuer': { id: other.did },
          credentialSubject: { id: holder.did, degree: 'B' },
        },
        TRUSTED,
      )
      expectRejected(await presented(holder, [credential]), /a credential is not signed by its issuer/)
    }
  })
})

describe('a stolen credential', () => {
  test('is not verified when its thief signs the presentation', async () => {
    expectRejected(await presented(thief, [await degreeOf(holder.did)]), /not the subject/)
  })

  test("is not verified beside a credential of the thief's own", async () => {
    expectRejected(await presented(thief, [await degreeOf(thief.did), await degreeOf(holder.did)]), /not the subject/)
  })

  test('is not verified where the thief names the subject as the holder', async () => {
    expectRejected(await presented(thief, [await degreeOf(undefined)], { holder: holder.did }), /holder/)
    expectRejected(await presented(thief, [await degreeOf(holder.did)], { holder: holder.did }), /holder/)
    const beside = { holder: thief.did, more: { 'https://www.w3.org/2018/credentials#holder': { '@id': holder.did } } }
    expectRejected(await presented(thief, [await degreeOf(undefined)], beside), /holder/)
  })

  test("is not verified in a presentation that its subject has signed for another agent's challenge", async () => {
    const presentation = await present(holder, [await degreeOf(holder.did)], {
      challenge: 'for another verifier',
      contexts: TRUSTED,
    })
    expect((await presented(thief, [await degreeOf(thief.did)], {}, () => presentation)).isVerified).not.toBe(true)
  })

  test('is verified where one of several subjects signs', async () => {
    const subjects = [
      { id: holder.did, degree: 'Bachelor' },
      { id: 'did:example:somebody-else', honour: 'none' },
    ]
    const credential = await issue(
      issuer,
      { '@context': [CREDENTIALS_V1, DEGREES], credentialSubject: subjects },
      TRUSTED,
    )
    const asked = await ask(holder, TRUSTED, definition('$.credentialSubject[*].degree'))
    const more = { presentation_submission: submissionOf(asked.definition) }
    const presentation = await present(holder, [credential], { challenge: asked.challenge, contexts: TRUSTED, more })
    expect(await asked.answer(presentation)).toMatchObject({ isVerified: true })
  })
})

describe('contexts that are given with a request', () => {
  const refusedFor = async (contexts: Contexts): Promise<Json> => {
    const body = {
      protocolVersion: 'v2',
      proofFormats: { presentationExchange: { presentationDefinition: definition(), options: { contexts } } },
    }
    return stage.call('createRequest', { caller, body })
  }

  test.each<[string, Contexts]>([
    [
      "redefine each other's terms",
      { [DEGREES]: TRUSTED[DEGREES], [TITLES]: { '@context': { degree: 'https://example.org/honour' } } },
    ],
    [
      'redefine a term within a type',
      {
        [DEGREES]: TRUSTED[DEGREES],
        [TITLES]: {
          '@context': {
            Title: { '@id': 'https://example.org/Title', '@context': { degree: 'https://example.org/title' } },
          },
        },
      },
    ],
    [
      'redefine a term of the credentials context',
      { [DEGREES]: { '@context': { proof: 'https://example.org/proof' } } },
    ],
    [
      'are not what the agent has for the address',
      { [CREDENTIALS_V1]: { '@context': { issuer: 'https://example.org/issuer' } } },
    ],
    ['need a context that was not given', { [DEGREES]: { '@context': ['https://contexts.example/none/v1'] } }],
    ['are no JSON-LD', { [DEGREES]: { '@context': { degree: { '@id': 7 } } } }],
  ])('are rejected where they %s', async (_, contexts) => {
    const { status, body } = await refusedFor(contexts)
    expect(status).toBe(422)
    expect(body.details[0].path).toContain('options.contexts')
  })

  test('are not revealed to the wallet', async () => {
    const { status, body } = await refusedFor(TRUSTED)
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain('contexts.example')
  })
})

describe('work that a presentation may cost', () => {
  const ringOf = (size: number) =>
    Array.from({ length: size }, (_, one) => ({ id: `_:n${one}`, thesis: { id: `_:n${(one + 1) % size}` } }))
  // The terms of the vocabulary are copied for each of them.
  const ofTypes = (size: number) => Array.from({ length: size }, () => ({ type: 'VerifiablePresentation' }))

  test.each<[string, number, string[], object[], RegExp]>([
    ['as many credentials as there may be, with rings of blank nodes', 50, [DEGREES], ringOf(30), /blank nodes/],
    ['a large vocabulary in every credential', 50, ['http://schema.org/'], [], /terms/],
    ['a large vocabulary as often as it may be', 6, ['http://schema.org/'], ringOf(300), /blank nodes/],
    ['one ring of blank nodes', 1, [DEGREES], ringOf(1_000), /blank nodes/],
    ['types with contexts of their own', 1, ['http://schema.org/'], ofTypes(1_500), /contexts/],
  ])('%s costs less than 2 s of processor time', async (_, count, contexts, thesis, reason) => {
    const asked = await ask(holder)
    const more = { presentation_submission: submissionOf(asked.definition) }
    const honest = await present(holder, [await degreeOf(holder.did)], {
      challenge: asked.challenge,
      contexts: TRUSTED,
      more,
    })
    const [credential] = honest.verifiableCredential
    const subject = { id: holder.did, ...(thesis.length > 0 && { 'https://example.org/thesis': thesis }) }
    const hostile = {
      ...credential,
      '@context': [CREDENTIALS_V1, DEGREES, ...contexts.filter((one) => one !== DEGREES)],
      credentialSubject: subject,
    }
    const spent = processorTime()
    const proof = await asked.answer({ ...honest, verifiableCredential: Array(count).fill(hostile) })
    expect(spent()).toBeLessThan(MAX_LINEAR_MS)
    expectRejected(proof, reason)
  })

  test.each<[string, number, Json]>([
    ['in the JSON', 130, { type: 'Ed25519Signature2018' }],
    // In the terms of the verifier it has one.
    ['in no term of the JSON', 400, { '@type': 'https://w3id.org/security#Ed25519Signature2018' }],
  ])('types with contexts of their own cost little where the issuer is the holder: %s', async (_, size, type) => {
    const vocabulary = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, one) => [`v${one}`, `https://v.example/${one}`]),
    )
    const contexts = { ...TRUSTED, 'https://contexts.example/large/v1': { '@context': vocabulary } }
    const thesis = Array.from({ length: size }, (_, one) => ({ ...type, grade: String(one) }))
    const credential = await issue(
      holder,
      {
        '@context': [CREDENTIALS_V1, DEGREES, ...('type' in type ? ['https://contexts.example/large/v1'] : [])],
        credentialSubject: { id: holder.did, degree: 'Bachelor', thesis },
      },
      contexts,
    )
    const asked = await ask(holder, contexts)
    const more = { presentation_submission: submissionOf(asked.definition) }
    const presentation = await present(holder, [credential], { challenge: asked.challenge, contexts, more })
    const spent = processorTime()
    const proof = await asked.answer(presentation)
    expect(spent()).toBeLessThan(MAX_LINEAR_MS)
    expectRejected(proof, /contexts/)
  })

  test('blank nodes that refer to each other are rejected at little cost', async () => {
    const size = 9
    const nodes = Array.from({ length: size }, (_, one) => ({
      id: `_:n${one}`,
      thesis: Array.from({ length: size }, (_, other) => ({ id: `_:n${other}` })).filter((_, other) => other !== one),
    }))
    const credential = { ...(await degreeOf(holder.did)), credentialSubject: { id: holder.did, thesis: nodes } }
    const asked = await ask(holder)
    const more = { presentation_submission: submissionOf(asked.definition) }
    const honest = await present(holder, [await degreeOf(holder.did)], {
      challenge: asked.challenge,
      contexts: TRUSTED,
      more,
    })
    const spent = processorTime()
    const proof = await asked.answer({ ...honest, verifiableCredential: [credential] })
    expect(spent()).toBeLessThan(MAX_LINEAR_MS)
    expectRejected(proof, /not valid/)
  })
})

test('a presentation of more than 50 credentials is rejected before any is verified', async () => {
  const credential = await degreeOf(holder.did, { degree: 'B' })
  const crowd = (presentation: Json) => ({ ...presentation, verifiableCredential: Array(51).fill(credential) })
  expectRejected(await presented(holder, [credential], {}, crowd), /expected 1 to 50 credentials/)
})
