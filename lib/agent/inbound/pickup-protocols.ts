/**
 * Message pickup by wallets without an endpoint: Credo's protocols, in the mediator's role.
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0212-pickup (v1),
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0685-pickup-v2 (v2)
 */
import { DidCommMessagePickupV1Protocol, DidCommMessagePickupV2Protocol } from '@credo-ts/didcomm'
import { skipMark } from './inbox.ts'
import { liveModeStatus, removeForeignIds } from './pickup.ts'

type V2 = DidCommMessagePickupV2Protocol

/**
 * v2 keeps messages until they are acknowledged, so its requests change nothing, and a repetition needs no special
 * handling.
 */
class PickupV2 extends DidCommMessagePickupV2Protocol {
  override async processStatusRequest(...[inbound]: Parameters<V2['processStatusRequest']>) {
    skipMark()
    return super.processStatusRequest(inbound)
  }

  override async processDeliveryRequest(...[inbound]: Parameters<V2['processDeliveryRequest']>) {
    skipMark()
    return super.processDeliveryRequest(inbound)
  }

  override async processMessagesReceived(...[inbound]: Parameters<V2['processMessagesReceived']>) {
    removeForeignIds(inbound.message)
    return super.processMessagesReceived(inbound)
  }

  override async processLiveDeliveryChange(...[inbound]: Parameters<V2['processLiveDeliveryChange']>) {
    return liveModeStatus(inbound)
  }
}

/**
 * v1 removes messages when it returns them. The mark of the request has the batch, which is the response to a repeated
 * request.
 */
export const pickupProtocols = () => [new DidCommMessagePickupV1Protocol(), new PickupV2()]
