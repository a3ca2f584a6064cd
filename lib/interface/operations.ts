/** All operations of the service in the order of the OpenAPI document, which is made of them. A function imports only its own contract. */
import {
  CreateCredentialDefinition,
  CreateSchema,
  GetCredentialDefinitionById,
  GetCredentialDefinitions,
  GetSchemaById,
} from './anoncreds.ts'
import { GetBasicMessages, SendMessage, TenantGetBasicMessages } from './basic-messages.ts'
import {
  AcceptConnectionRequest,
  AcceptConnectionResponse,
  DeleteConnection,
  GetConnectionById,
  GetConnections,
  SendPing,
} from './connections.ts'
import type { Contract } from './contract.ts'
import {
  AcceptCredential,
  AcceptCredentialOffer,
  AcceptCredentialProposal,
  AcceptCredentialRequest,
  DeclineCredentialOffer,
  ProposeCredential,
} from './credential-exchanges.ts'
import { CreateOffer, CreateOfferOob } from './credential-offer.ts'
import { GetCredentialById, GetCredentialFormData, GetCredentials, RevokeCredential } from './credentials.ts'
import { ReceiveDidcomm } from './didcomm.ts'
import { CreateDid, GetDids, GetWebDidDocument, ResolveDid } from './dids.ts'
import {
  AcceptInvitation,
  CreateInvitation,
  CreateLegacyInvitation,
  DeleteOutOfBandRecord,
  GetOutOfBandRecordById,
  GetOutOfBandRecords,
  ReceiveImplicitInvitation,
  ReceiveInvitation,
  ReceiveInvitationUrl,
} from './out-of-band.ts'
import { GetBrowserFile, GetInvitationById, ShowDocs, ShowInvitation } from './pages.ts'
import {
  AcceptPresentation,
  AcceptProofProposal,
  AcceptProofRequest,
  DeclineProofRequest,
  ProposeProof,
} from './proof-exchanges.ts'
import { CreateRequest, RequestProof } from './proof-request.ts'
import { GetProofById, GetProofFormData, GetProofs, TenantProofFormData } from './proofs.ts'
import { GetQuestionAnswerById, GetQuestionAnswers, SendAnswer, SendQuestion } from './question-answer.ts'
import { GetHealth, GetOpenApi } from './service.ts'
import { CreateTenant } from './tenants.ts'
import { GetW3cCredentialById, GetW3cCredentials } from './w3c-credentials.ts'
import {
  DeleteWebhookEndpoint,
  EnableWebhookEndpoint,
  GetWebhookDeliveries,
  GetWebhookEndpoints,
  ReplayWebhookEvents,
  RotateWebhookSecret,
  TestWebhookEndpoint,
} from './webhook-endpoints.ts'
import { RegisterNotificationWebhook, RegisterWebhook } from './webhooks.ts'
import { GetTailsFile, GetWebvhLog, GetWebvhResource } from './webvh.ts'

export const OPERATIONS: readonly Contract[] = [
  GetCredentialById,
  SendMessage,
  TenantGetBasicMessages,
  CreateRequest,
  TenantProofFormData,
  RegisterNotificationWebhook,
  RegisterWebhook,
  CreateTenant,
  GetBasicMessages,
  GetConnections,
  GetConnectionById,
  GetCredentials,
  GetCredentialFormData,
  GetW3cCredentials,
  GetW3cCredentialById,
  CreateInvitation,
  CreateLegacyInvitation,
  ReceiveInvitation,
  ReceiveInvitationUrl,
  AcceptInvitation,
  ReceiveImplicitInvitation,
  GetOutOfBandRecords,
  GetOutOfBandRecordById,
  DeleteOutOfBandRecord,
  AcceptConnectionRequest,
  AcceptConnectionResponse,
  SendPing,
  DeleteConnection,
  CreateOffer,
  ProposeCredential,
  AcceptCredentialProposal,
  AcceptCredentialOffer,
  DeclineCredentialOffer,
  AcceptCredentialRequest,
  AcceptCredential,
  RevokeCredential,
  CreateSchema,
  GetSchemaById,
  CreateCredentialDefinition,
  GetCredentialDefinitions,
  GetCredentialDefinitionById,
  CreateOfferOob,
  CreateDid,
  GetDids,
  ResolveDid,
  GetQuestionAnswers,
  GetQuestionAnswerById,
  SendQuestion,
  SendAnswer,
  RequestProof,
  ProposeProof,
  AcceptProofProposal,
  AcceptProofRequest,
  DeclineProofRequest,
  AcceptPresentation,
  GetProofs,
  GetProofById,
  GetProofFormData,
  GetWebhookEndpoints,
  DeleteWebhookEndpoint,
  RotateWebhookSecret,
  TestWebhookEndpoint,
  EnableWebhookEndpoint,
  GetWebhookDeliveries,
  ReplayWebhookEvents,
  ReceiveDidcomm,
  GetWebDidDocument,
  GetWebvhLog,
  GetWebvhResource,
  GetTailsFile,
  ShowInvitation,
  GetInvitationById,
  ShowDocs,
  GetBrowserFile,
  GetOpenApi,
  GetHealth,
]
