/** Credential proposals (Aries RFC 0453 and 0036): a holder sends them, and an issuer answers with an offer. */
import { DidCommCredentialState } from '@credo-ts/didcomm'
import * as v from 'valibot'
import type { ProposalAcceptance } from '../../../interface/credential-acceptance.ts'
import type { CredentialProposal } from '../../../interface/credential-proposal.ts'
import { defined } from '../../../json.ts'
import { toCredentialExchangeJson } from '../../../records/credential-json.ts'
import type { RecordJson } from '../../../records/record-json.ts'
import type { TenantAgent } from '../../credo/index.ts'
import { beginExchange, type Formats } from '../index.ts'
import { type OfferedFormats, toOfferedFormats } from './offers.ts'
import { continueCredentialExchange, messageOptions, optionsOf } from './steps.ts'

type Credentials = TenantAgent['didcomm']['credentials']
type ProposeOptions = Parameters<Credentials['proposeCredential']>[0]
type NegotiateOptions = Parameters<Credentials['negotiateProposal']>[0]

/**
 * Proposes a credential on a connection in the running unit of work. Returns the exchange record (`proposal-sent`).
 * Throws `resource.not_found`, `connection.not_ready`, `connection.no_endpoint`.
 */
export const proposeCredential = (proposal: v.InferOutput<typeof CredentialProposal>): Promise<RecordJson> =>
  beginExchange(proposal.connectionId, toCredentialExchangeJson, ({ didcomm }) => {
    const { connectionId, protocolVersion } = proposal
    const formats = Object.entries(proposal.credentialFormats).map(([key, format]) => [key, defined(format ?? {})])
    return didcomm.credentials.proposeCredential({
      ...{ connectionId, protocolVersion },
      credentialFormats: Object.fromEntries(formats) as ProposeOptions['credentialFormats'],
      ...messageOptions(proposal),
    })
  })

/**
 * Offers the proposed formats, or only those in `credentialFormats`, whose missing fields come from the proposal.
 * `check` validates the formats of the offer, and throws `request.invalid`. /
 */
export const acceptProposal = (
  { credentialFormats = {}, ...step }: v.InferOutput<typeof ProposalAcceptance>,
  check: (formats: Formats, protocolVersion: string) => OfferedFormats,
): Promise<RecordJson> =>
  continueCredentialExchange(step, DidCommCredentialState.ProposalReceived, async (agent, { id, protocolVersion }) => {
    const { credentials } = agent.didcomm
    const proposed = await proposedFormats(credentials, id)
    const named: Formats = credentialFormats
    const formats = Object.keys(Object.keys(named).length > 0 ? named : proposed).map((key) => [
      key,
      key === 'jsonld' ? (named[key] ?? proposed[key]) : defined({ ...proposed[key], ...defined(named[key] ?? {}) }),
    ])
    const offered = await toOfferedFormats(agent, check(Object.fromEntries(formats), protocolVersion))
    return credentials.negotiateProposal({
      ...optionsOf(step),
      credentialFormats: offered as NegotiateOptions['credentialFormats'],
    })
  })

/** The filter of an AnonCreds proposal: the credential definition, if it names one. */
const Filter = v.fallback(v.object({ cred_def_id: v.optional(v.string()) }), {})

/** The proposed credential as formats of an offer. */
const proposedFormats = async (credentials: Credentials, id: string): Promise<Formats> => {
  const { proposal = {}, proposalAttributes } = await credentials.getFormatData(id)
  const attributes = proposalAttributes?.map(({ name, value, mimeType }) => defined({ name, value, mimeType }))
  return Object.fromEntries(
    Object.entries(proposal).map(([key, content]) => [
      key,
      key === 'jsonld'
        ? Object(content)
        : defined({ credentialDefinitionId: v.parse(Filter, content).cred_def_id, attributes }),
    ]),
  )
}
