/** What a verifier reads of revocation, by each form of an Indy id in the registry's reply, and the library's errors. */
import '../../../../lib/agent/formats/anoncreds/library.ts'
import type { AgentContext } from '@credo-ts/core'
import { AnoncredsError } from '@hyperledger/anoncreds-shared'
import { expect, test } from 'vitest'
import { presentationVerifier } from '../../../../lib/agent/formats/anoncreds/presentation-verifier.ts'
import { PUBLISHED } from '../../../support/anoncreds/bare-library.ts'
import { testWithLibrary } from '../../../support/anoncreds/library.ts'

const DID = 'WgWxqztrNooG92RXvxSTWv'
const UNQUALIFIED = { revRegDefId: `${DID}:4:${DID}:3:CL:10:default:CL_ACCUM:first`, issuerId: DID }
const QUALIFIED = {
  revRegDefId: `did:indy:local:${DID}/anoncreds/v0/REV_REG_DEF/10/default/first`,
  issuerId: `did:indy:local:${DID}`,
}

/** An agent whose registry answers with this list. */
const agentWith = (ids: typeof QUALIFIED): AgentContext => {
  const revocationStatusList = { ...ids, revocationList: [0, 1], currentAccumulator: '1 0A', timestamp: 7 }
  const registry = { getRevocationStatusList: async () => ({ revocationStatusList, resolutionMetadata: {} }) }
  const resolve = () => ({ getRegistryForIdentifier: () => registry })
  return Object({ dependencyManager: { resolve }, resolve })
}

test.each([
  ['unqualified', UNQUALIFIED],
  ['qualified', QUALIFIED],
])(
  'a status list that is asked for by an unqualified id has it, where the registry answers by %s ids',
  async (_, ids) => {
    const list = await presentationVerifier(agentWith(ids)).statusList(UNQUALIFIED.revRegDefId, 9)
    expect(list).toMatchObject({ ...UNQUALIFIED, timestamp: 7 })
  },
)

testWithLibrary('an error of the library is about the presentation only if the library reads the objects', async () => {
  const verifyProof = () => Promise.reject(new AnoncredsError({ code: 1, message: 'Invalid input' }))
  const { schemas, definitions, registries, lists } = PUBLISHED
  const [definition] = Object.values(registries)
  const verify = (objects: object) => {
    const revocationRegistries = { first: { definition, revocationStatusLists: lists } }
    const options = { schemas, credentialDefinitions: definitions, revocationRegistries, ...objects }
    return presentationVerifier(Object({ resolve: () => ({ verifyProof }) })).verify(Object(options))
  }
  expect(await verify({})).toBe(false)
  for (const objects of [
    { schemas: { unreadable: {} } },
    { credentialDefinitions: { unreadable: {} } },
    { revocationRegistries: { first: { definition: {}, revocationStatusLists: lists } } },
    { revocationRegistries: { first: { definition, revocationStatusLists: [...lists, {}] } } },
  ])
    await expect(verify(objects), JSON.stringify(objects)).rejects.toMatchObject({ code: 'registry.unavailable' })
})
