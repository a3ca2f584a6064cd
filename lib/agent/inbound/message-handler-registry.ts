/** Credo's registry of handlers, with one for the problem reports of all protocols. */
import { DidCommMessage, type DidCommMessageHandler, DidCommMessageHandlerRegistry } from '@credo-ts/didcomm'
import { isProblemReport } from '../threads/index.ts'
import { ProblemReportHandler } from './problem-reports.ts'

export class AgentMessageHandlerRegistry extends DidCommMessageHandlerRegistry {
  readonly #reports = new ProblemReportHandler()
  #protocols: DidCommMessageHandlerRegistry['supportedProtocolUris'] | undefined

  override getHandlerForMessageType(messageType: string): DidCommMessageHandler | undefined {
    return isProblemReport(messageType) ? this.#reports : super.getHandlerForMessageType(messageType)
  }

  /** Reads reports without Credo's validators, which reject the lower case of RFC 0035. */
  override getMessageClassForMessageType(messageType: string): typeof DidCommMessage | undefined {
    return isProblemReport(messageType) ? DidCommMessage : super.getMessageClassForMessageType(messageType)
  }

  override registerMessageHandler(handler: DidCommMessageHandler): void {
    this.#protocols = undefined
    super.registerMessageHandler(handler)
  }

  /** Collected once: Credo goes through all handlers for each invitation. */
  override get supportedProtocolUris() {
    this.#protocols ??= super.supportedProtocolUris
    return this.#protocols
  }
}
