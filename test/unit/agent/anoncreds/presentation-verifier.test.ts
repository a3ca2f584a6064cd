/** What a verifier reads of revocation, by whichever spelling of an Indy id the registry answers. */
import '../../../../lib/agent/formats/anoncreds/library.ts'
import type { AgentContext } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { presentationVerifier } from '../../../../lib/agent/formats/anoncreds/presentation-verifier.ts'

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
