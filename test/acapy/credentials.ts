/** Steps with credentials: the wallet takes what we offer, or makes its own. */
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import { offer } from './requests.ts'
import type { Scene } from './scenario.ts'

/** A did:key of the wallet that credentials are about. */
export const newHolderDid = async (acapy: AcaPy): Promise<string> => {
  const { result } = await acapy.post('/wallet/did/create', { method: 'key', options: { key_type: 'ed25519' } })
  return result.did
}

/** Offers a credential and waits until the wallet has the offer. */
export const offered = async (
  { acapy, agent }: Scene,
  connectionId: string,
  credential: object,
): Promise<{ ours: Json; theirs: Json }> => {
  const ours = await agent.ask('/credentials/create-offer', offer(connectionId, credential))
  const theirs = await waitFor('the wallet to have the offer', async () => {
    const { results } = await acapy.get(`/issue-credential-2.0/records?thread_id=${ours.threadId}`)
    return results[0]?.cred_ex_record
  })
  return { ours, theirs }
}

export interface Issued {
  /** Of the wallet's store. */
  credentialId: string
  /** The verifiable credential as the wallet keeps it. */
  credential: Json
}

/** Offers a credential, which the wallet takes and stores; both exchanges are done. */
export const issue = async (
  scene: Scene,
  connectionId: string,
  credential: object,
  holderDid: string,
): Promise<Issued> => {
  const { acapy, agent } = scene
  const { ours, theirs } = await offered(scene, connectionId, credential)
  const path = `/issue-credential-2.0/records/${theirs.cred_ex_id}`
  await acapy.post(`${path}/send-request`, { holder_did: holderDid })
  await waitFor('the wallet to have the credential', async () => {
    const { cred_ex_record: record } = await acapy.get(path)
    if (record.error_msg) throw new Error(record.error_msg)
    return record.state === 'credential-received'
  })
  const { cred_ex_record: stored, ld_proof: details } = await acapy.post(`${path}/store`)
  await agent.credentialIn(ours, 'done')
  const credentialId = details.cred_id_stored
  return { credentialId, credential: stored.by_format?.cred_issue?.ld_proof }
}

/** A credential that the wallet issues to itself, by a DID of its own. */
export const selfIssue = async (
  acapy: AcaPy,
  credential: object,
  issuer: string,
  proofType = 'Ed25519Signature2018',
): Promise<Issued> => {
  const options = { proofType }
  const body = { credential: { ...credential, issuer }, options }
  const { verifiableCredential } = await acapy.post('/vc/credentials/issue', body)
  const { credentialId } = await acapy.post('/vc/credentials/store', { verifiableCredential })
  return { credentialId, credential: verifiableCredential }
}
