/**
 * Message pickup by wallets without an endpoint: Credo's protocols, in the mediator's role.
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0212-pickup (v1),
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0685-pickup-v2 (v2)
 */
import { DidCommMessagePickupV1Protocol, DidCommMessagePickupV2Protocol } from '@credo-ts/didcomm'
import { forgetMark } from './inbox.ts'
import { assertLimit, rejectLiveMode, removeForeignIds } from './pickup.ts'

type V1 = DidCommMessagePickupV1Protocol
type V2 = DidCommMessagePickupV2Protocol

/**
 * v1 removes messages when it hands them out. The mark of the request keeps the batch, which a repeated request gets
 * again.
 */
class PickupV1 extends DidCommMessagePickupV1Protocol {
  override async processBatchPickup(...[inbound]: Parameters<V1['processBatchPickup']>) {
    assertLimit(inbound.message.batchSize)
    return super.processBatchPickup(inbound)
  }
}

/**
 * v2 keeps messages until they are acknowledged, so its requests change nothing, and a repetition needs no special
 * handling.
 */
class PickupV2 extends DidCommMessagePickupV2Protocol {
  override async processStatusRequest(...[inbound]: Parameters<V2['processStatusRequest']>) {
    forgetMark()
    return super.processStatusRequest(inbound)
  }

  override async processDeliveryRequest(...[inbound]: Parameters<V2['processDeliveryRequest']>) {
    assertLimit(inbound.message.limit)
    forgetMark()
    return super.processDeliveryRequest(inbound)
  }

  override async processMessagesReceived(...[inbound]: Parameters<V2['processMessagesReceived']>) {
    removeForeignIds(inbound.message)
    return super.processMessagesReceived(inbound)
  }

  override async processLiveDeliveryChange(...[inbound]: Parameters<V2['processLiveDeliveryChange']>) {
    return rejectLiveMode(inbound)
  }
}

export const pickupProtocols = () => [new PickupV1(), new PickupV2()]
