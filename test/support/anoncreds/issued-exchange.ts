/** Credential exchanges as they are in the table after AnonCreds was issued, without a wallet that has it. */
import { randomUUID } from 'node:crypto'

/** Metadata of an exchange whose credential can be revoked: its place in a registry. */
export const revocableAt = (revocationRegistryId: string, index: number, more: object = {}) => ({
  '_agent/issued': {},
  '_anoncreds/credential': { ...more, revocationRegistryId, credentialRevocationId: String(index) },
})

/** Runs the job of a revocation here, as well as in the stage's own function. It is postponed if its list cannot be published yet. */
export const runPublication = async (tenant: string, credentialRecordId: string): Promise<void> => {
  const { ANONCREDS_JOBS } = await import('../../../lib/agent/formats/anoncreds/jobs.ts')
  const { runJob } = await import('../../../lib/jobs/run.ts')
  const type = 'revocation-list'
  await runJob({ tenant, type, id: credentialRecordId }, ANONCREDS_JOBS[type])
}

/** Adds an exchange that is done to the table of the service in this process. Resolves to its id. */
export const addIssuedExchange = async (tenant: string, metadata: object): Promise<string> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  const id = randomUUID()
  const tags = { state: 'done', role: 'issuer', threadId: randomUUID() }
  const createdAt = new Date().toISOString()
  const value = { id, createdAt, updatedAt: createdAt, protocolVersion: 'v2', credentials: [], ...tags, metadata }
  await transaction(tenant, async (unit) => {
    unit.insert({ tenant, type: 'CredentialRecord', id, value, tags })
  })
  return id
}
