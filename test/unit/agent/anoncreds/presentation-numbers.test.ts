/** Parts of a presentation: its form, the numbers of its proof, and the objects that it names. Each is checked before the library sees it. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  altered,
  issue,
  newLinkSecret,
  PUBLISHED,
  type PublishedObjects,
  present,
  trusted,
  untrusted,
} from '../../../support/anoncreds/bare-library.ts'
import { describeWithLibrary } from '../../../support/anoncreds/library.ts'
import { memoryVerifier } from '../../../support/anoncreds/memory-verifier.ts'
import type { Json } from '../../../support/stage/in-process-stage.ts'

const { list } = trusted.registry

const request = {
  name: 'p',
  version: '1.0',
  nonce: '1234567890',
  requested_attributes: { r0: { name: 'degree', restrictions: [{ cred_def_id: trusted.definitionId }] } },
  requested_predicates: { p0: { name: 'age', p_type: '>=', p_value: 18 } },
  non_revoked: { from: 100, to: 100 },
}

/** As an honest holder answers. */
const answerTo = (asked: Json, isProvedNotRevoked: boolean): Json => {
  const linkSecret = newLinkSecret()
  const credential = issue(trusted, { linkSecret, index: 4 })
  const nonRevocation = { issuer: trusted, index: 4, list }
  const shown = { credential, attributes: { r0: true }, predicates: ['p0'] }
  return present(asked, linkSecret, [isProvedNotRevoked ? { ...shown, nonRevocation } : shown])
}

let presentation: Json = {}

const verdictOn = (presented: Json, published: PublishedObjects = PUBLISHED, asked: Json = request) =>
  memoryVerifier(published).verdictOn(asked, presented)

/** The first sub-proof, and the rest of the proof. */
const withProof = (alter: (subProof: Json, proof: Json) => void) =>
  altered(presentation, ({ proof }) => alter(proof.proofs[0], proof))

const bits = (count: bigint) => (1n << count).toString()

describeWithLibrary('an AnonCreds presentation', () => {
  beforeAll(() => {
    presentation = answerTo(request, true)
  })

  test('verifies an unaltered presentation', async () => {
    expect(await verdictOn(presentation)).toBe('verified')
  })

  describe('rejects', () => {
    const RANGE = 'a number of the proof is out of its range'
    const FORM = 'the presentation is not one of AnonCreds'
    const COMMITMENTS = 'the challenge of the proof does not consist of its commitments'
    const OTHER_VALUE = 'a predicate is not about the value in the credential'
    const OTHER_ATTRIBUTES = 'the proof has other attributes than the schema'
    const NOT_REVEALED = 'the values in requested_proof are not those that a credential reveals'

    /** Parts of the first sub-proof, and of the whole proof. */
    interface Parts {
      eq: Json
      ge: Json
      x: Json
      c: Json
      subProof: Json
      aggregated: Json
    }
    const withParts = (alter: (parts: Parts) => unknown) =>
      withProof((subProof, { aggregated_proof: aggregated }) => {
        const { primary_proof: primary, non_revoc_proof: revocation } = subProof
        const [ge] = primary.ge_proofs
        alter({ eq: primary.eq_proof, ge, x: revocation.x_list, c: revocation.c_list, subProof, aggregated })
      })

    test.each<[string, string, (parts: Parts) => unknown]>([
      ['a negative exponent', FORM, ({ eq }) => (eq.e = `-${eq.e}`)],
      ['an exponent of 458 bits', RANGE, ({ eq }) => (eq.e = bits(457n))],
      ['a hidden value of 595 bits', RANGE, ({ eq }) => (eq.m.zip = bits(594n))],
      ['a link secret of 595 bits', RANGE, ({ eq }) => (eq.m.master_secret = bits(594n))],
      [
        'the value of a predicate of 595 bits',
        RANGE,
        ({ eq, ge }) => {
          eq.m.age = bits(594n)
          ge.mj = bits(594n)
        },
      ],
      ['a number with a leading zero', FORM, ({ eq }) => (eq.v = `0${eq.v}`)],
      ['a number that ends in letters', FORM, ({ eq }) => (eq.v += 'x')],
      ['a number of 1,001 digits', FORM, ({ eq }) => (eq.v = '9'.repeat(1001))],
      ['the old name of the link secret', FORM, ({ eq }) => (eq.m1 = eq.m.master_secret)],
      ['a proof of non-revocation with the old link to its credential', FORM, ({ x }) => (x.m2 = x.m)],
      ['a proof of non-revocation that lacks a number', FORM, ({ x }) => delete x.rho],
      ['a predicate of another number than the signed one', OTHER_VALUE, ({ ge }) => (ge.mj = '7')],
      ['a predicate of an attribute that is not hidden', OTHER_VALUE, ({ eq }) => delete eq.m.age],
      ['a hidden value of no attribute', OTHER_ATTRIBUTES, ({ eq }) => (eq.m.AGE = eq.m.age)],
      ['a hidden value less', OTHER_ATTRIBUTES, ({ eq }) => delete eq.m.zip],
      ['another commitment to the signature', COMMITMENTS, ({ eq }) => (eq.a_prime = '7')],
      ['another commitment of a predicate', COMMITMENTS, ({ ge }) => (ge.t[2] = '7')],
      ['another commitment of non-revocation', COMMITMENTS, ({ c }) => (c.e = c.d)],
      ['another commitment of non-revocation on the twisted curve', COMMITMENTS, ({ c }) => (c.u = c.s)],
      ['a point of another form', 'a point of the proof must have its coordinates', ({ c }) => (c.e = 'A B')],
      ['a commitment less', COMMITMENTS, ({ aggregated }) => aggregated.c_list.pop()],
      ['a commitment more', COMMITMENTS, ({ aggregated }) => aggregated.c_list.push([1])],
      ['another commitment in the challenge', COMMITMENTS, ({ aggregated }) => (aggregated.c_list[0] = [1])],
      ['no proof of non-revocation', COMMITMENTS, ({ subProof }) => (subProof.non_revoc_proof = null)],
      ['a value that is shown, and not revealed', NOT_REVEALED, ({ eq }) => delete eq.revealed_attrs.degree],
    ])('%s', async (_, says, alter) => {
      expect(await verdictOn(withParts(alter))).toBe(says)
    })

    test.each<[string, (proof: Json) => Json]>([
      ['the proof', (proof) => proof],
      ['its challenge', ({ aggregated_proof }) => aggregated_proof],
      ['a sub-proof', ({ proofs }) => proofs[0]],
      ['its primary proof', ({ proofs }) => proofs[0].primary_proof],
      ['its values', ({ proofs }) => proofs[0].primary_proof.eq_proof],
      ['a predicate', ({ proofs }) => proofs[0].primary_proof.ge_proofs[0]],
      ...['u', 'r', 't', 'predicate'].map((name): [string, (proof: Json) => Json] => [
        `${name} of a predicate`,
        ({ proofs }) => proofs[0].primary_proof.ge_proofs[0][name],
      ]),
      ['its proof of non-revocation', ({ proofs }) => proofs[0].non_revoc_proof],
      ['the numbers of that', ({ proofs }) => proofs[0].non_revoc_proof.x_list],
      ['the points of that', ({ proofs }) => proofs[0].non_revoc_proof.c_list],
    ])('what is not understood in %s', async (_, part) => {
      const unknown = withProof((__, proof) => Object.assign(part(proof), { unknown: '7' }))
      expect(await verdictOn(unknown)).toBe(FORM)
    })

    test('a proof without non-revocation that names a list', async () => {
      const { non_revoked: _, ...asked } = request
      const without = answerTo(asked, false)
      const claimed = altered(without, ({ identifiers }) => {
        identifiers[0].timestamp = 100
      })
      expect(await verdictOn(claimed)).toBe('a credential has no proof of non-revocation')
    })

    test('a proof of non-revocation where none was asked for', async () => {
      const { non_revoked: _, ...asked } = request
      expect(await verdictOn(presentation, PUBLISHED, asked)).toBe(
        'non-revocation is proved where it was not requested',
      )
    })

    test('a list of a time after the end of the interval', async () => {
      const later = altered(presentation, ({ identifiers }) => {
        identifiers[0].timestamp = request.non_revoked.to + 1
      })
      expect(await verdictOn(later)).toBe(
        'the proof of non-revocation does not use the list that was valid at the end of the interval',
      )
    })

    test('an interval without an end', async () => {
      const asked = { ...request, non_revoked: { from: 100 } }
      expect(await verdictOn(presentation, PUBLISHED, asked)).toBe('the interval of the request must have an end')
    })

    test.each<[string, (presentation: Json) => void]>([
      ['more identifiers than sub-proofs', ({ identifiers }) => identifiers.push(identifiers[0])],
      ['fewer identifiers than sub-proofs', ({ identifiers }) => identifiers.pop()],
    ])('%s', async (_, alter) => {
      const says = 'the presentation must name one credential for each sub-proof'
      expect(await verdictOn(altered(presentation, alter))).toBe(says)
    })

    test('values of a credential that is not there', async () => {
      const elsewhere = altered(presentation, ({ requested_proof: { revealed_attrs, predicates } }) => {
        revealed_attrs.r0.sub_proof_index = 1
        predicates.p0.sub_proof_index = 1
      })
      expect(await verdictOn(elsewhere)).toBe('the referents must use exactly the sub-proofs of the presentation')
    })

    test.each([[undefined], ['verified'], [[]], [{}]])('what is no presentation: %j', async (presented) => {
      expect(await verdictOn(presented as Json)).toBe(FORM)
    })

    test.each<[string, (presentation: Json) => void]>([
      ['eleven credentials', (copy) => (copy.identifiers = Array(11).fill(copy.identifiers[0]))],
      ['a credential that is number -1', ({ requested_proof }) => (requested_proof.predicates.p0.sub_proof_index = -1)],
      ['a value that is a number', ({ requested_proof }) => (requested_proof.revealed_attrs.r0.raw = 24)],
      ['a list in force at no time', ({ identifiers }) => (identifiers[0].timestamp = 0)],
      ['an id of 4,097 characters', ({ identifiers }) => (identifiers[0].cred_def_id = 'x'.repeat(4_097))],
      [
        'hidden values of 257 attributes',
        ({ proof }) => {
          const names = Array.from({ length: 257 }, (_, name) => [`name ${name}`, '7'])
          proof.proofs[0].primary_proof.eq_proof.m = Object.fromEntries(names)
        },
      ],
    ])('%s', async (_, alter) => {
      expect(await verdictOn(altered(presentation, alter))).toBe(FORM)
    })
  })

  describe('objects that do not belong together:', () => {
    const { registryId } = trusted.registry
    const published = (alter: (objects: Json) => void) => altered(PUBLISHED, alter) as PublishedObjects
    const [OTHER, IN_NAME] = [untrusted, 'the id of an object of the presentation does not belong to its issuer']
    const NOT_ITS = 'the revocation registry belongs to another credential definition'
    /** What was published of each, by one name. */
    const ofTrusted = ({ schemas, definitions, registries, lists }: Json): Json => ({
      schema: schemas[trusted.schemaId],
      definition: definitions[trusted.definitionId],
      registry: registries[registryId],
      list: lists[0],
    })

    test.each<[string, string, (objects: Json) => unknown]>([
      ['a schema in the name of another agent', IN_NAME, ({ schema }) => (schema.issuerId = OTHER.schema.issuerId)],
      ['a definition in that name', IN_NAME, ({ definition }) => (definition.issuerId = OTHER.schema.issuerId)],
      [
        'a definition of another schema',
        'the credential definition is of another schema',
        ({ definition }) => (definition.schemaId = OTHER.schemaId),
      ],
      [
        'a definition with another attribute',
        'the credential definition has other attributes than its schema',
        ({ definition }) => (definition.value.primary.r.honours = '7'),
      ],
      ['a registry of another definition', NOT_ITS, ({ registry }) => (registry.credDefId = OTHER.definitionId)],
      ['a registry of another issuer', NOT_ITS, ({ registry }) => (registry.issuerId = OTHER.schema.issuerId)],
      [
        'a list of another issuer',
        'the revocation status list belongs to another registry',
        ({ list }) => (list.issuerId = OTHER.schema.issuerId),
      ],
    ])('%s', async (_, says, alter) => {
      expect(
        await verdictOn(
          presentation,
          published((objects) => alter(ofTrusted(objects))),
        ),
      ).toBe(says)
    })

    test('a registry of the issuer by an id in the name of another agent', async () => {
      const id = registryId.replace(trusted.schema.issuerId, untrusted.schema.issuerId)
      const objects = published(({ registries, lists }) => {
        registries[id] = registries[registryId]
        lists[0].revRegDefId = id
      })
      const presented = altered(presentation, ({ identifiers }) => (identifiers[0].rev_reg_id = id))
      expect(id).not.toBe(registryId)
      expect(await verdictOn(presented, objects)).toBe(NOT_ITS)
    })
  })

  describe('what is read', () => {
    const reads = async (asked: Json, presented: Json) => {
      const verifier = memoryVerifier(PUBLISHED)
      await verifier.verdictOn(asked, presented)
      return verifier.read
    }

    test('is nothing that no restriction allows', async () => {
      const issuer_id = untrusted.schema.issuerId
      for (const restriction of [
        { cred_def_id: 'did:memory:other/definition' },
        { issuer_id },
        { schema_issuer_id: issuer_id },
      ]) {
        const asked = { ...request, requested_attributes: { r0: { name: 'degree', restrictions: [restriction] } } }
        expect(await reads(asked, presentation)).toEqual([])
      }
    })

    test('is nothing where the presentation itself is rejected', async () => {
      expect(
        await reads(
          request,
          withProof(({ primary_proof }) => (primary_proof.eq_proof.e = bits(457n))),
        ),
      ).toEqual([])
    })

    test('is each object once, and the list in force at the end of the interval', async () => {
      const { schemaId, definitionId, registry } = trusted
      expect(await reads(request, presentation)).toEqual([
        schemaId,
        definitionId,
        registry.registryId,
        `${registry.registryId} at 100`,
      ])
    })

    test('is the list in force at the end of an interval of an attribute, before that of the whole request', async () => {
      const { r0 } = request.requested_attributes
      const asked = { ...request, requested_attributes: { r0: { ...r0, non_revoked: { to: 200 } } } }
      const lists = (await reads(asked, presentation)).filter((id) => id.includes(' at '))
      expect(lists).toEqual([200, 100].map((end) => `${trusted.registry.registryId} at ${end}`))
    })
  })
})
