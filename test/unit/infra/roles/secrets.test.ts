/** Functions that may read secrets or delete, by name (docs/security.md), so that a change that adds one is seen. */
import { expect, test } from 'vitest'
import { allPermissionsOf } from '../../../../infra/access/permissions.ts'
import { permissionsOfServiceFile } from '../../../../infra/access/service-file.ts'
import { isLike, type Statement } from '../../../../infra/roles/policy.ts'
import { statementsOf } from '../../../../infra/roles/statements.ts'
import { OPERATIONS } from '../../../../lib/interface/operations.ts'
import { handlerOf } from '../../../support/source/operation-functions.ts'

const EXCHANGES = `createRequest createOffer createOfferOob proposeCredential acceptCredentialProposal acceptCredentialOffer
  declineCredentialOffer acceptCredentialRequest acceptCredential requestProof proposeProof acceptProofProposal acceptProofRequest
  declineProofRequest acceptPresentation receiveInvitation receiveInvitationUrl acceptInvitation receiveImplicitInvitation
  acceptConnectionResponse receiveDidcomm runJobs`
const EXCHANGE_DELETIONS = 'deleteCredential deleteProof'
const SIGNS = `${EXCHANGES} sendMessage sendQuestion sendAnswer sendPing createInvitation createLegacyInvitation createSchema
  createDid acceptConnectionRequest deleteConnection ${EXCHANGE_DELETIONS} createCertificate deleteCertificate getRequestObject postRequestObject
  receivePresentation getStatusList getCredentialOffer requestToken requestNonce requestCredential removeOwned`
const SEALS = `${SIGNS} registerNotificationWebhook registerWebhook rotateWebhookSecret createCredentialDefinition
  importCertificate createPresentationRequest createCredentialOffer`
const DELIVERS = `registerNotificationWebhook registerWebhook getWebhookEndpoints deleteWebhookEndpoint rotateWebhookSecret
  testWebhookEndpoint enableWebhookEndpoint getWebhookDeliveries replayWebhookEvents dispatchChanges deliver deliverSlowly
  removeOwned`
const DELETIONS = OPERATIONS.filter(({ method }) => method === 'DELETE').map(({ operationId }) =>
  handlerOf(operationId),
)
const DELETES = `${DELETIONS.join(' ')} registerNotificationWebhook acceptConnectionRequest requestToken receiveNotification
  receiveDidcomm deliver deliverSlowly wake runJobs removeOwned`
type Row = [action: RegExp, key: string | undefined, names: string]
const READ = /Get|Query/

test.each<Row>([
  [READ, 'acme|key|k1', `${SIGNS} deleteOutOfBandRecord`],
  [READ, 'acme|data-key', SEALS],
  [READ, '@org|acme', DELIVERS],
  [READ, 'acme|BasicMessageRecord|1', `${EXCHANGES} getBasicMessages tenantGetBasicMessages removeOwned`],
  [
    READ,
    'acme|DidCommMessageRecord|1',
    `${EXCHANGES} ${EXCHANGE_DELETIONS} tenantProofFormData getCredentialFormData getProofFormData removeOwned`,
  ],
  [READ, 'acme|AnonCredsCredentialDefinitionPrivateRecord|1', `${EXCHANGES} removeOwned`],
  [READ, 'acme|openid4vci-claims|1', 'requestCredential removeOwned'],
  [READ, 'acme|signed-status-list|1', 'getStatusList receivePresentation removeOwned'],
  [/Put/, 'acme|signed-status-list|1', 'removeOwned'],
  [/Delete/, undefined, DELETES],
  [/Delete/, 'acme|key|k1', 'deleteCertificate deleteOutOfBandRecord removeOwned'],
  [/Delete/, 'acme|BasicMessageRecord|1', 'removeOwned'],
  ...['Credential', 'Proof'].map((of): Row => [/Delete/, `acme|${of}Record|1`, `delete${of} removeOwned`]),
  [/Delete/, 'acme|DidCommMessageRecord|1', `${EXCHANGE_DELETIONS} removeOwned`],
])('may %o %s', (actions, key, names) => {
  const allowed = ({ Action, Condition }: Statement) => {
    const keys = [Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []].flat()
    return actions.test(String(Action)) && keys.length > 0 && (key === undefined || isLike(key, keys))
  }
  const may = Object.entries(permissionsOfServiceFile()).filter(([, permissions]) =>
    statementsOf(allPermissionsOf(permissions)).some(allowed),
  )
  expect(may.map(([name]) => name).sort()).toEqual(names.split(/\s+/).filter(Boolean).sort())
})
