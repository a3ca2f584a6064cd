/** All operations of the service: every contract that these modules export. A function imports only its own. */
import * as anoncreds from './anoncreds.ts'
import * as basicMessages from './basic-messages.ts'
import * as connections from './connections.ts'
import type { Contract } from './contract.ts'
import * as credentialExchanges from './credential-exchanges.ts'
import * as credentialOffer from './credential-offer.ts'
import * as credentials from './credentials.ts'
import * as didcomm from './didcomm.ts'
import * as dids from './dids.ts'
import * as openid4vci from './openid4vci.ts'
import * as openid4vciIssuers from './openid4vci-issuers.ts'
import * as openid4vciPage from './openid4vci-page.ts'
import * as openid4vciWallets from './openid4vci-wallets.ts'
import * as openid4vp from './openid4vp.ts'
import * as openid4vpPage from './openid4vp-page.ts'
import * as openid4vpWallets from './openid4vp-wallets.ts'
import * as outOfBand from './out-of-band.ts'
import * as pages from './pages.ts'
import * as proofExchanges from './proof-exchanges.ts'
import * as proofRequest from './proof-request.ts'
import * as proofs from './proofs.ts'
import * as questionAnswer from './question-answer.ts'
import * as service from './service.ts'
import * as tenants from './tenants.ts'
import * as w3cCredentials from './w3c-credentials.ts'
import * as webhookEndpoints from './webhook-endpoints.ts'
import * as webhooks from './webhooks.ts'
import * as webvh from './webvh.ts'
import * as x509 from './x509.ts'

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'operationId' in value

export const OPERATIONS: readonly Contract[] = [
  anoncreds,
  basicMessages,
  connections,
  credentialExchanges,
  credentialOffer,
  credentials,
  didcomm,
  dids,
  openid4vciIssuers,
  openid4vci,
  openid4vciPage,
  openid4vciWallets,
  openid4vp,
  openid4vpPage,
  openid4vpWallets,
  outOfBand,
  pages,
  proofExchanges,
  proofRequest,
  proofs,
  questionAnswer,
  service,
  tenants,
  w3cCredentials,
  webhookEndpoints,
  webhooks,
  webvh,
  x509,
].flatMap((module) => Object.values<unknown>(module).filter(isContract))
