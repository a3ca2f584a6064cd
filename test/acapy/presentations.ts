/** Steps with presentations: the wallet answers the request that came with an invitation. */
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import type { Scene } from './scenario.ts'

/** The wallet's record of a proof request. */
export const requested = (acapy: AcaPy, request: Json): Promise<Json> =>
  waitFor('the wallet to have the proof request', async () => {
    const { results } = await acapy.get(`/present-proof-2.0/records?thread_id=${request.proofRecordThId}`)
    return results[0]
  })

/** Lets the wallet present credentials: id of the descriptor to id in its store. `further` is more of ACA-Py's `dif`. */
export const present = async (
  acapy: AcaPy,
  request: Json,
  credentials: Record<string, string>,
  further: object = {},
): Promise<Json> => {
  const { pres_ex_id: id } = await requested(acapy, request)
  const recordIds = Object.fromEntries(Object.entries(credentials).map(([key, value]) => [key, [value]]))
  await acapy.post(`/present-proof-2.0/records/${id}/send-presentation`, { dif: { record_ids: recordIds, ...further } })
  return acapy.get(`/present-proof-2.0/records/${id}`)
}

/** The proof of a request that the wallet has answered; rejects unless it is verified, and the wallet knows. */
export const verified = async ({ acapy, agent }: Scene, request: Json): Promise<Json> => {
  const proof = await agent.proofIn(request, 'done', 'abandoned')
  if (proof.state !== 'done' || proof.isVerified !== true)
    throw new Error(`the proof is ${proof.state}, isVerified ${proof.isVerified}: ${proof.errorMessage}`)
  const { pres_ex_id: id } = await requested(acapy, request)
  await acapy.recordIn(`/present-proof-2.0/records/${id}`, 'done')
  return proof
}
