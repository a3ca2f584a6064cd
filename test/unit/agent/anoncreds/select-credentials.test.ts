/** Referents are chosen by the verifier: one that is named like a member of every object is one like any other. */
import type { AgentContext } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { selectCredentials } from '../../../../lib/agent/formats/anoncreds/select-credentials.ts'

const credentialInfo = {
  ...{ credentialId: 'held', attributes: { degree: 'Bachelor' } },
  ...{ revocationRegistryId: null, credentialRevocationId: null },
}
const holder = { getCredentialsForProofRequest: async () => [{ credentialInfo }] }
const agentContext = { resolve: () => holder } as unknown as AgentContext

const ask = (referent: string) => ({
  nonce: '1',
  requested_attributes: { [referent]: { name: 'degree' } },
  requested_predicates: {},
})

test.each(['degree', 'toString', 'hasOwnProperty'])('a credential is found for the referent %s', async (referent) => {
  const selected = await selectCredentials(agentContext, ask(referent), {}, 'proofFormats.anoncreds')
  expect(selected.attributes).toMatchObject({ [referent]: { credentialId: 'held', revealed: true } })
})
