/** All operations of the service, in the order of the interface document. For the OpenAPI document: functions import their own contract. */
import {
  CreateCredentialDefinition,
  CreateSchema,
  GetCredentialDefinitionById,
  GetCredentialDefinitions,
  GetSchemaById,
} from './anoncreds.ts'
import { SendMessage, TenantGetBasicMessages } from './basic-messages.ts'
import { GetConnectionById, GetConnections } from './connections.ts'
import type { Contract } from './contract.ts'
import { CreateOffer, CreateOfferOob, GetCredentialById, RevokeCredential } from './credentials.ts'
import { ReceiveDidcomm } from './didcomm.ts'
import { CreateDid, GetDids, GetWebDidDocument, ResolveDid } from './dids.ts'
import { CreateRequest, TenantProofFormData } from './proofs.ts'
import { GetHealth, GetOpenApi } from './service.ts'
import { CreateTenant } from './tenants.ts'
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
  GetConnections,
  GetConnectionById,
  CreateOffer,
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
  GetOpenApi,
  GetHealth,
]
