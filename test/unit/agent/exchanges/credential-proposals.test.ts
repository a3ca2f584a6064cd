/** What a proposal says, and what an issuer offers that accepts it: what was proposed, in its own words where it has any. */
import { expect, test, vi } from 'vitest'
import { acceptProposal, proposeCredential } from '../../../../lib/agent/exchanges/credentials/proposals.ts'

const jsonld = { credential: {}, options: {} }
const attributes = [{ name: 'degree', value: 'Bachelor', mimeType: 'text/plain' }]
const proposal = { jsonld, anoncreds: { cred_def_id: 'proposed' }, indy: { issuer_did: 'any' } }

const credentials = {
  getFormatData: async () => ({ proposal, proposalAttributes: attributes }),
  negotiateProposal: vi.fn(),
  proposeCredential: vi.fn(),
}

vi.mock('../../../../lib/agent/exchanges/steps.ts', async (original) => ({
  ...(await original<object>()),
  beginExchange: (_id: string, _toJson: object, act: (agent: object) => Promise<object>) =>
    act({ didcomm: { credentials } }),
}))

vi.mock('../../../../lib/agent/exchanges/credentials/steps.ts', async (original) => ({
  ...(await original<object>()),
  continueCredentialExchange: (_step: object, _state: string, act: (...of: object[]) => Promise<object>) =>
    act({ didcomm: { credentials } }, { id: 'c', protocolVersion: 'v2' }),
}))

const own = { credential: { issuer: 'did:example:1' }, options: {} }

test.each<[string, object | undefined, object]>([
  [
    'all formats, where the issuer names none',
    undefined,
    { jsonld, anoncreds: { credentialDefinitionId: 'proposed', attributes }, indy: { attributes } },
  ],
  [
    'the format that it names alone, with the fields that it gives in place of the proposed ones',
    { anoncreds: { credentialDefinitionId: 'own' } },
    { anoncreds: { credentialDefinitionId: 'own', attributes } },
  ],
  ['a credential of JSON-LD as a whole', { jsonld: own }, { jsonld: own }],
])('it offers %s', async (_, credentialFormats, offered) => {
  const check = vi.fn(() => {
    throw new TypeError('checked')
  })
  const step = Object({ credentialRecordId: 'c', credentialFormats })
  await expect(acceptProposal(step, check)).rejects.toThrow('checked')
  expect(check).toHaveBeenCalledWith(offered, 'v2')
})

test('a proposal and its acceptance say what their callers say with them', async () => {
  const said = { autoAcceptCredential: 'never', comment: 'Hello', goalCode: 'issue', goal: 'A degree' }
  await acceptProposal(Object({ ...said, credentialRecordId: 'c' }), () => ({}))
  const accepted = { ...said, credentialExchangeRecordId: 'c', credentialFormats: {} }
  expect(credentials.negotiateProposal).toHaveBeenCalledWith(accepted)
  const proposed = { ...said, connectionId: 'a', protocolVersion: 'v2', credentialFormats: { jsonld } }
  await proposeCredential(Object(proposed))
  expect(credentials.proposeCredential).toHaveBeenCalledWith(proposed)
})
