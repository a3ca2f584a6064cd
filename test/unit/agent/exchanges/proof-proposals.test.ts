/** What a proof proposal says, and what a verifier requests that accepts it: what was proposed, in its own words where it has any. */
import { expect, test, vi } from 'vitest'
import { acceptProofProposal, proposeProof } from '../../../../lib/agent/exchanges/proofs/proposals.ts'

const definition = { id: 'degree', input_descriptors: [] }
const asked = { name: 'Proof', version: '1.0', requested_attributes: {}, requested_predicates: {} }
const proposal = { anoncreds: { ...asked, nonce: '1', ver: '1.0' }, presentationExchange: definition }
const preview = { attributes: [{ name: 'degree', credentialDefinitionId: 'd' }], predicates: [] }

const exchange = { id: 'p', protocolVersion: 'v2' }
const proofs = { getFormatData: async () => ({ proposal }), negotiateProposal: vi.fn(), proposeProof: vi.fn() }
const getAgentMessage = vi.fn(async () => ({ presentationProposal: preview }))
const agent = { context: { resolve: () => ({ getAgentMessage }) }, didcomm: { proofs } }

vi.mock('../../../../lib/agent/exchanges/steps.ts', async (original) => ({
  ...(await original<object>()),
  beginExchange: (_id: string, _toJson: object, act: (of: object) => Promise<object>) => act(agent),
}))

vi.mock('../../../../lib/agent/exchanges/proofs/steps.ts', async (original) => ({
  ...(await original<object>()),
  continueProofExchange: (_id: string, _state: string, act: (...of: object[]) => Promise<object>) =>
    act(agent, exchange),
}))

const accept = async (acceptance: object) => {
  const check = vi.fn((formats: object) => formats)
  await acceptProofProposal(
    'p',
    Object({ proofFormats: {}, ...acceptance }),
    { status: 'fulfilled', value: Object({ read: true }) },
    check,
  )
  return check.mock.calls[0]?.[0]
}

const own = { ...asked, name: 'Ours' }

test.each([
  ['what was proposed, without the nonce and the kind', {}, asked],
  ['what it names in place of that', { anoncreds: own }, own],
])('it requests %s', async (_, proofFormats, anoncreds) => {
  const presentationExchange = { presentationDefinition: definition }
  expect(await accept({ proofFormats })).toEqual({ anoncreds, presentationExchange })
  const prepared = { anoncreds, presentationExchange: { ...presentationExchange, prepared: { read: true } } }
  expect(proofs.negotiateProposal).toHaveBeenLastCalledWith({ proofExchangeRecordId: 'p', proofFormats: prepared })
})

test('of version 1 it requests what the received preview names', async () => {
  exchange.protocolVersion = 'v1'
  const { indy } = Object(await accept({}))
  expect(Object.values(indy.requested_attributes)).toMatchObject([{ restrictions: [{ cred_def_id: 'd' }] }])
  const received = expect.objectContaining({ associatedRecordId: 'p', role: 'receiver' })
  expect(getAgentMessage).toHaveBeenCalledWith(expect.anything(), received)
  exchange.protocolVersion = 'v2'
})

test('a proposal and its acceptance say what their callers say with them', async () => {
  const said = { autoAcceptProof: 'never', comment: 'Hello', goalCode: 'verify' }
  await accept({ ...said, willConfirm: true })
  expect(proofs.negotiateProposal).toHaveBeenLastCalledWith(expect.objectContaining({ ...said, willConfirm: true }))
  const proposed = { ...said, connectionId: 'a', protocolVersion: 'v2', proofFormats: {}, parentThreadId: 'parent' }
  await proposeProof(Object(proposed))
  expect(proofs.proposeProof).toHaveBeenCalledWith(proposed)
})
