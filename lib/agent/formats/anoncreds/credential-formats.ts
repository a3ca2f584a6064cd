/**
 * AnonCreds formats of issue-credential (Aries RFC 0592 and 0771): Credo's, which issue and store only what was
 * offered.
 */
import { AnonCredsDidCommCredentialFormatService, LegacyIndyDidCommCredentialFormatService } from '@credo-ts/anoncreds'
import type { CheckedFormat } from '../index.ts'
import {
  assertOffer,
  createOfferWith,
  isAsOffered,
  issueAsIndy,
  issueOffered,
  offerAsIndy,
  requestOffered,
} from './issuance.ts'
import { storeOffered } from './received-credential.ts'

type AnonCreds = AnonCredsDidCommCredentialFormatService
type Indy = LegacyIndyDidCommCredentialFormatService

export class AnonCredsFormat extends AnonCredsDidCommCredentialFormatService implements CheckedFormat {
  readonly isAsOffered = isAsOffered

  override createOffer(...[agentContext, options]: Parameters<AnonCreds['createOffer']>) {
    return createOfferWith(options, () => super.createOffer(agentContext, options))
  }

  override acceptRequest(...[agentContext, options]: Parameters<AnonCreds['acceptRequest']>) {
    return issueOffered(options, (requestAttachment) =>
      super.acceptRequest(agentContext, { ...options, requestAttachment }),
    )
  }

  override async processOffer(...[agentContext, options]: Parameters<AnonCreds['processOffer']>) {
    assertOffer(options.attachment)
    return super.processOffer(agentContext, options)
  }

  override acceptOffer(...[agentContext, options]: Parameters<AnonCreds['acceptOffer']>) {
    return requestOffered(agentContext, options.offerAttachment, (offerAttachment, anoncreds) =>
      super.acceptOffer(agentContext, { ...options, offerAttachment, credentialFormats: { anoncreds } }),
    )
  }

  override processCredential(...[agentContext, options]: Parameters<AnonCreds['processCredential']>) {
    return storeOffered(agentContext, options, (attachment) =>
      super.processCredential(agentContext, { ...options, attachment }),
    )
  }
}

/** Credentials with the ids of an Indy ledger. */
export class IndyFormat extends LegacyIndyDidCommCredentialFormatService implements CheckedFormat {
  readonly #anonCreds = new AnonCredsDidCommCredentialFormatService()
  readonly isAsOffered = isAsOffered

  override createOffer(...parameters: Parameters<Indy['createOffer']>) {
    return offerAsIndy(this.#anonCreds, ...parameters)
  }

  override acceptRequest(...parameters: Parameters<Indy['acceptRequest']>) {
    return issueAsIndy(this.#anonCreds, ...parameters)
  }

  override async processOffer(...[agentContext, options]: Parameters<Indy['processOffer']>) {
    assertOffer(options.attachment)
    return super.processOffer(agentContext, options)
  }

  override acceptOffer(...[agentContext, options]: Parameters<Indy['acceptOffer']>) {
    return requestOffered(agentContext, options.offerAttachment, (offerAttachment, indy) =>
      super.acceptOffer(agentContext, { ...options, offerAttachment, credentialFormats: { indy } }),
    )
  }

  override processCredential(...[agentContext, options]: Parameters<Indy['processCredential']>) {
    return storeOffered(agentContext, options, (attachment) =>
      super.processCredential(agentContext, { ...options, attachment }),
    )
  }
}
