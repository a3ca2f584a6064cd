/** Examples of the OpenAPI document: real requests and answers, written into docs/examples by the api tests. */

import acceptConnectionRequest from '../../docs/examples/AcceptConnectionRequest.json' with { type: 'json' }
import acceptConnectionResponse from '../../docs/examples/AcceptConnectionResponse.json' with { type: 'json' }
import acceptCredential from '../../docs/examples/AcceptCredential.json' with { type: 'json' }
import acceptCredentialOffer from '../../docs/examples/AcceptCredentialOffer.json' with { type: 'json' }
import acceptCredentialProposal from '../../docs/examples/AcceptCredentialProposal.json' with { type: 'json' }
import acceptCredentialRequest from '../../docs/examples/AcceptCredentialRequest.json' with { type: 'json' }
import acceptInvitation from '../../docs/examples/AcceptInvitation.json' with { type: 'json' }
import acceptPresentation from '../../docs/examples/AcceptPresentation.json' with { type: 'json' }
import acceptProofProposal from '../../docs/examples/AcceptProofProposal.json' with { type: 'json' }
import acceptProofRequest from '../../docs/examples/AcceptProofRequest.json' with { type: 'json' }
import createCredentialDefinition from '../../docs/examples/CreateCredentialDefinition.json' with { type: 'json' }
import createDid from '../../docs/examples/CreateDid.json' with { type: 'json' }
import createInvitation from '../../docs/examples/CreateInvitation.json' with { type: 'json' }
import createLegacyInvitation from '../../docs/examples/CreateLegacyInvitation.json' with { type: 'json' }
import createOffer from '../../docs/examples/CreateOffer.json' with { type: 'json' }
import createOfferOob from '../../docs/examples/CreateOfferOob.json' with { type: 'json' }
import createRequest from '../../docs/examples/CreateRequest.json' with { type: 'json' }
import createSchema from '../../docs/examples/CreateSchema.json' with { type: 'json' }
import createTenant from '../../docs/examples/CreateTenant.json' with { type: 'json' }
import declineCredentialOffer from '../../docs/examples/DeclineCredentialOffer.json' with { type: 'json' }
import declineProofRequest from '../../docs/examples/DeclineProofRequest.json' with { type: 'json' }
import deleteWebhookEndpoint from '../../docs/examples/DeleteWebhookEndpoint.json' with { type: 'json' }
import enableWebhookEndpoint from '../../docs/examples/EnableWebhookEndpoint.json' with { type: 'json' }
import getBasicMessages from '../../docs/examples/GetBasicMessages.json' with { type: 'json' }
import getConnectionById from '../../docs/examples/GetConnectionById.json' with { type: 'json' }
import getConnections from '../../docs/examples/GetConnections.json' with { type: 'json' }
import getCredentialById from '../../docs/examples/GetCredentialById.json' with { type: 'json' }
import getCredentialDefinitionById from '../../docs/examples/GetCredentialDefinitionById.json' with { type: 'json' }
import getCredentialDefinitions from '../../docs/examples/GetCredentialDefinitions.json' with { type: 'json' }
import getCredentialFormData from '../../docs/examples/GetCredentialFormData.json' with { type: 'json' }
import getCredentials from '../../docs/examples/GetCredentials.json' with { type: 'json' }
import getDids from '../../docs/examples/GetDids.json' with { type: 'json' }
import getHealth from '../../docs/examples/GetHealth.json' with { type: 'json' }
import getInvitationById from '../../docs/examples/GetInvitationById.json' with { type: 'json' }
import getOutOfBandRecordById from '../../docs/examples/GetOutOfBandRecordById.json' with { type: 'json' }
import getOutOfBandRecords from '../../docs/examples/GetOutOfBandRecords.json' with { type: 'json' }
import getProofById from '../../docs/examples/GetProofById.json' with { type: 'json' }
import getProofFormData from '../../docs/examples/GetProofFormData.json' with { type: 'json' }
import getProofs from '../../docs/examples/GetProofs.json' with { type: 'json' }
import getQuestionAnswerById from '../../docs/examples/GetQuestionAnswerById.json' with { type: 'json' }
import getQuestionAnswers from '../../docs/examples/GetQuestionAnswers.json' with { type: 'json' }
import getSchemaById from '../../docs/examples/GetSchemaById.json' with { type: 'json' }
import getW3cCredentialById from '../../docs/examples/GetW3cCredentialById.json' with { type: 'json' }
import getW3cCredentials from '../../docs/examples/GetW3cCredentials.json' with { type: 'json' }
import getWebDidDocument from '../../docs/examples/GetWebDidDocument.json' with { type: 'json' }
import getWebhookDeliveries from '../../docs/examples/GetWebhookDeliveries.json' with { type: 'json' }
import getWebhookEndpoints from '../../docs/examples/GetWebhookEndpoints.json' with { type: 'json' }
import getWebvhLog from '../../docs/examples/GetWebvhLog.json' with { type: 'json' }
import getWebvhResource from '../../docs/examples/GetWebvhResource.json' with { type: 'json' }
import proposeCredential from '../../docs/examples/ProposeCredential.json' with { type: 'json' }
import proposeProof from '../../docs/examples/ProposeProof.json' with { type: 'json' }
import receiveDidcomm from '../../docs/examples/ReceiveDidcomm.json' with { type: 'json' }
import receiveImplicitInvitation from '../../docs/examples/ReceiveImplicitInvitation.json' with { type: 'json' }
import receiveInvitation from '../../docs/examples/ReceiveInvitation.json' with { type: 'json' }
import receiveInvitationUrl from '../../docs/examples/ReceiveInvitationUrl.json' with { type: 'json' }
import registerNotificationWebhook from '../../docs/examples/RegisterNotificationWebhook.json' with { type: 'json' }
import registerWebhook from '../../docs/examples/RegisterWebhook.json' with { type: 'json' }
import replayWebhookEvents from '../../docs/examples/ReplayWebhookEvents.json' with { type: 'json' }
import requestProof from '../../docs/examples/RequestProof.json' with { type: 'json' }
import resolveDid from '../../docs/examples/ResolveDid.json' with { type: 'json' }
import revokeCredential from '../../docs/examples/RevokeCredential.json' with { type: 'json' }
import rotateWebhookSecret from '../../docs/examples/RotateWebhookSecret.json' with { type: 'json' }
import sendAnswer from '../../docs/examples/SendAnswer.json' with { type: 'json' }
import sendMessage from '../../docs/examples/SendMessage.json' with { type: 'json' }
import sendPing from '../../docs/examples/SendPing.json' with { type: 'json' }
import sendQuestion from '../../docs/examples/SendQuestion.json' with { type: 'json' }
import showInvitation from '../../docs/examples/ShowInvitation.json' with { type: 'json' }
import testWebhookEndpoint from '../../docs/examples/TestWebhookEndpoint.json' with { type: 'json' }
import tenantGetBasicMessages from '../../docs/examples/tenant_GetBasicMessages.json' with { type: 'json' }
import tenantProofFormData from '../../docs/examples/tenant_ProofFormData.json' with { type: 'json' }

interface Example {
  /** Body of the request, where there is one. */
  request?: unknown
  /** Body of the answer. */
  response?: unknown
}

/** By operationId. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  AcceptConnectionRequest: acceptConnectionRequest,
  AcceptConnectionResponse: acceptConnectionResponse,
  GetCredentials: getCredentials,
  GetCredentialFormData: getCredentialFormData,
  GetW3cCredentials: getW3cCredentials,
  GetW3cCredentialById: getW3cCredentialById,
  ProposeCredential: proposeCredential,
  AcceptCredentialProposal: acceptCredentialProposal,
  AcceptCredentialOffer: acceptCredentialOffer,
  DeclineCredentialOffer: declineCredentialOffer,
  AcceptCredentialRequest: acceptCredentialRequest,
  AcceptCredential: acceptCredential,
  CreateCredentialDefinition: createCredentialDefinition,
  CreateSchema: createSchema,
  GetCredentialDefinitionById: getCredentialDefinitionById,
  GetCredentialDefinitions: getCredentialDefinitions,
  GetSchemaById: getSchemaById,
  CreateDid: createDid,
  AcceptInvitation: acceptInvitation,
  CreateInvitation: createInvitation,
  CreateLegacyInvitation: createLegacyInvitation,
  GetOutOfBandRecordById: getOutOfBandRecordById,
  GetOutOfBandRecords: getOutOfBandRecords,
  ReceiveImplicitInvitation: receiveImplicitInvitation,
  ReceiveInvitation: receiveInvitation,
  ReceiveInvitationUrl: receiveInvitationUrl,
  CreateOffer: createOffer,
  CreateOfferOob: createOfferOob,
  CreateRequest: createRequest,
  CreateTenant: createTenant,
  RequestProof: requestProof,
  ProposeProof: proposeProof,
  AcceptProofProposal: acceptProofProposal,
  AcceptProofRequest: acceptProofRequest,
  DeclineProofRequest: declineProofRequest,
  AcceptPresentation: acceptPresentation,
  GetProofs: getProofs,
  GetProofById: getProofById,
  GetProofFormData: getProofFormData,
  DeleteWebhookEndpoint: deleteWebhookEndpoint,
  EnableWebhookEndpoint: enableWebhookEndpoint,
  GetBasicMessages: getBasicMessages,
  GetConnectionById: getConnectionById,
  GetConnections: getConnections,
  GetCredentialById: getCredentialById,
  GetDids: getDids,
  GetHealth: getHealth,
  GetInvitationById: getInvitationById,
  GetWebDidDocument: getWebDidDocument,
  GetQuestionAnswerById: getQuestionAnswerById,
  GetQuestionAnswers: getQuestionAnswers,
  GetWebhookDeliveries: getWebhookDeliveries,
  GetWebhookEndpoints: getWebhookEndpoints,
  GetWebvhLog: getWebvhLog,
  GetWebvhResource: getWebvhResource,
  ReceiveDidcomm: receiveDidcomm,
  RegisterNotificationWebhook: registerNotificationWebhook,
  RegisterWebhook: registerWebhook,
  ReplayWebhookEvents: replayWebhookEvents,
  ResolveDid: resolveDid,
  RevokeCredential: revokeCredential,
  RotateWebhookSecret: rotateWebhookSecret,
  SendAnswer: sendAnswer,
  SendMessage: sendMessage,
  SendPing: sendPing,
  SendQuestion: sendQuestion,
  ShowInvitation: showInvitation,
  TestWebhookEndpoint: testWebhookEndpoint,
  tenant_GetBasicMessages: tenantGetBasicMessages,
  tenant_ProofFormData: tenantProofFormData,
}
