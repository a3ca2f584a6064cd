/** What a prover presents and says that accepts a request, and what it says that declines one. */
import { expect, test, vi } from 'vitest'
import { acceptProofRequest, declineProofRequest } from '../../../../lib/agent/exchanges/proofs/steps.ts'

const proofs = {
  getFormatData: async () => ({ request: { anoncreds: {}, presentationExchange: {} } }),
  acceptRequest: vi.fn(),
  declineRequest: vi.fn(),
}
const continued = vi.fn()

vi.mock('../../../../lib/agent/exchanges/steps.ts', async (original) => ({
  ...(await original<object>()),
  continueExchange: (_kind: object, id: string, state: string, act: (...of: object[]) => object, sends?: boolean) => {
    continued(state, sends)
    return act({ didcomm: { proofs } }, { id })
  },
}))

const named = { credentials: { degree: 'c' } }

test.each([
  ['all requested formats', {}, { anoncreds: {}, presentationExchange: {} }],
  ['the named format alone', { anoncreds: named }, { anoncreds: named }],
])('it presents %s, and says what its caller says', async (_, proofFormats, presented: Record<string, object>) => {
  const said = { autoAcceptProof: 'never', comment: 'Here', goalCode: 'prove' }
  await acceptProofRequest('p', Object({ ...said, proofFormats, filterByNonRevocationRequirements: false }))
  const formats = Object.entries(presented).map(([name, format]) => [
    name,
    { ...format, filterByNonRevocationRequirements: false },
  ])
  const accepted = { ...said, proofExchangeRecordId: 'p', proofFormats: Object.fromEntries(formats) }
  expect(proofs.acceptRequest).toHaveBeenLastCalledWith(accepted)
})

test('a format that was not requested is not presented', async () => {
  const accepted = acceptProofRequest('p', Object({ proofFormats: { indy: named } }))
  await expect(accepted).rejects.toMatchObject({ details: [{ path: 'proofFormats.indy' }] })
})

test.each([
  [true, { problemReportDescription: 'no' }],
  [false, {}],
])('it declines, and sends a report: %s', async (sendProblemReport, reason) => {
  await declineProofRequest('p', { sendProblemReport, ...reason })
  const declined = { proofExchangeRecordId: 'p', sendProblemReport, ...reason }
  expect(proofs.declineRequest).toHaveBeenLastCalledWith(declined)
  expect(continued).toHaveBeenLastCalledWith('request-received', sendProblemReport)
})
