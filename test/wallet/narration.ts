/** Events of a wallet, as lines for a person at a terminal. */
import {
  DidCommAckMessage,
  DidCommBasicMessageEventTypes,
  DidCommBasicMessageRole,
  type DidCommBasicMessageStateChangedEvent,
  DidCommCredentialEventTypes,
  DidCommCredentialExchangeRecord,
  DidCommCredentialState,
  type DidCommCredentialStateChangedEvent,
  DidCommEventTypes,
  type DidCommMessageSentEvent,
  DidCommProofEventTypes,
  DidCommProofState,
  type DidCommProofStateChangedEvent,
  type DidCommRevocationNotificationReceivedEvent,
} from '@credo-ts/didcomm'
import type { Wallet } from './wallet.ts'

/** Passes on a line for everything that happens from now on. */
export const narrate = (wallet: Wallet, tell: (line: string) => void): void => {
  const { events, didcomm } = wallet.agent
  events.on<DidCommBasicMessageStateChangedEvent>(
    DidCommBasicMessageEventTypes.DidCommBasicMessageStateChanged,
    ({ payload: { basicMessageRecord: message } }) => {
      if (message.role === DidCommBasicMessageRole.Receiver) tell(`agent: ${message.content}`)
    },
  )

  const describe = async ({ id, credentialAttributes }: DidCommCredentialExchangeRecord): Promise<string> => {
    const { offer, offerAttributes = credentialAttributes ?? [] } = await didcomm.credentials.getFormatData(id)
    const anonCreds = offer?.anoncreds ?? offer?.indy
    if (anonCreds === undefined) return describeJsonLd(offer?.jsonld?.credential)
    const values = offerAttributes.map(({ name, value }) => [name, value])
    return `${JSON.stringify(Object.fromEntries(values))} of ${anonCreds.cred_def_id}`
  }
  events.on<DidCommCredentialStateChangedEvent>(
    DidCommCredentialEventTypes.DidCommCredentialStateChanged,
    async ({ payload: { credentialExchangeRecord: exchange } }) => {
      if (exchange.state === DidCommCredentialState.OfferReceived)
        tell(`credential offered: ${await describe(exchange)}`)
      if (exchange.state === DidCommCredentialState.Abandoned) tell(`credential abandoned: ${exchange.errorMessage}`)
    },
  )

  // Not before the acknowledgement is sent: a reader of the line finds the issuer's exchange done.
  events.on<DidCommMessageSentEvent>(DidCommEventTypes.DidCommMessageSent, async ({ payload: { message: sent } }) => {
    const { message, associatedRecord: exchange } = sent
    if (message instanceof DidCommAckMessage && exchange instanceof DidCommCredentialExchangeRecord)
      tell(`credential received: ${await describe(exchange)}`)
  })

  events.on<DidCommRevocationNotificationReceivedEvent>(
    DidCommCredentialEventTypes.DidCommRevocationNotificationReceived,
    async ({ payload: { credentialExchangeRecord: exchange } }) =>
      tell(`credential revoked: ${await describe(exchange)}`),
  )

  events.on<DidCommProofStateChangedEvent>(
    DidCommProofEventTypes.ProofStateChanged,
    async ({ payload: { proofRecord: proof } }) => {
      const { id, state } = proof
      if (state === DidCommProofState.RequestReceived)
        tell(`proof requested: ${describeRequest(await wallet.proofContents(id))}; answered once the wallet holds it`)
      if (state === DidCommProofState.PresentationSent) tell('proof presented')
      if (state === DidCommProofState.Done) tell('proof accepted')
      if (state === DidCommProofState.Abandoned) tell(`proof abandoned: ${proof.errorMessage}`)
    },
  )
}

const describeJsonLd = ({
  type = [],
  credentialSubject,
}: {
  type?: string[]
  credentialSubject?: unknown
} = {}): string => {
  return `${type.at(-1)} ${JSON.stringify(credentialSubject)}`
}

const describeRequest = ({ request }: Awaited<ReturnType<Wallet['proofContents']>>): string => {
  const { presentationExchange, indy, anoncreds } = request ?? {}
  const definition = presentationExchange?.presentation_definition
  const name = definition ? (definition.name ?? definition.purpose ?? definition.id) : (indy ?? anoncreds)?.name
  return `"${name}" (${Object.keys(request ?? {}).join(', ')})`
}
