/** An ACA-Py that issues AnonCreds by a DID on the Indy ledger to another one: credentials that we verify and did not make. */
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import { PERSON, takeOffer } from './anoncreds-offers.ts'
import { receive } from './connect.ts'
import type { Definition } from './issuer.ts'

export interface WalletIssuer {
  wallet: AcaPy
  /** Its credentials can be revoked. */
  definition: Definition
}

/** Makes a definition and its first revocation registry. */
export const makeWalletIssuer = async (wallet: AcaPy): Promise<WalletIssuer> => ({
  wallet,
  definition: await defineBy(wallet),
})

const defineBy = async (issuer: AcaPy): Promise<Definition> => {
  const { result: own } = await issuer.get('/wallet/did/public')
  const { did: issuerId } = own
  const { schema_state: schema } = await issuer.post('/anoncreds/schema', {
    schema: { issuerId, name: 'degree', version: '1.0', attrNames: Object.keys(PERSON) },
  })
  const { credential_definition_state: definition } = await issuer.post('/anoncreds/credential-definition', {
    credential_definition: { issuerId, schemaId: schema.schema_id, tag: 'default' },
    options: { support_revocation: true, revocation_registry_size: 10 },
  })
  const credentialDefinitionId = definition.credential_definition_id
  const query = new URLSearchParams({ cred_def_id: credentialDefinitionId, state: 'finished' })
  await waitFor(
    'the revocation registry of the issuing wallet',
    async () => (await issuer.get(`/anoncreds/revocation/registries?${query}`)).rev_reg_ids.length > 0,
  )
  return { issuerId, schemaId: schema.schema_id, credentialDefinitionId }
}

export interface Held {
  /** Of the holder's store. */
  credentialId: string
  /** Takes the credential back; resolves when that is on the ledger. */
  revoke(): Promise<unknown>
}

/** ACA-Py 1.7.0 rarely finds that the list which it is about to publish was overwritten meanwhile, and must be asked again. */
const revokeBy = async (issuer: AcaPy, exchangeId: string): Promise<unknown> => {
  const revoke = () => issuer.post('/anoncreds/revocation/revoke', { cred_ex_id: exchangeId, publish: true })
  try {
    return await revoke()
  } catch (error) {
    if (error instanceof Error && error.message.includes('does not match stored')) return revoke()
    throw error
  }
}

const connected = async (issuer: AcaPy, holder: AcaPy): Promise<string> => {
  const { invitation } = await issuer.post('/out-of-band/create-invitation?auto_accept=true', {
    handshake_protocols: ['https://didcomm.org/didexchange/1.1'],
  })
  await receive(holder, invitation)
  return waitFor('the issuing wallet to be connected', async () => {
    const { results } = await issuer.get(`/connections?invitation_msg_id=${invitation['@id']}`)
    return ['active', 'completed'].includes(results[0]?.rfc23_state ?? results[0]?.state) && results[0].connection_id
  })
}

/** Issues a credential, which the holder takes and stores. */
export const issueBy = async ({ wallet: issuer, definition }: WalletIssuer, holder: AcaPy): Promise<Held> => {
  const { cred_ex_id: exchangeId, thread_id: threadId } = await issuer.post('/issue-credential-2.0/send-offer', {
    connection_id: await connected(issuer, holder),
    auto_issue: true,
    filter: { anoncreds: { cred_def_id: definition.credentialDefinitionId } },
    credential_preview: {
      '@type': 'issue-credential/2.0/credential-preview',
      attributes: Object.entries(PERSON).map(([name, value]) => ({ name, value })),
    },
  })
  return {
    credentialId: await takeOffer(holder, threadId),
    revoke: () => revokeBy(issuer, exchangeId),
  }
}
