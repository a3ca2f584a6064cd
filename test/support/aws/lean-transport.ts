/**
 * Takes a client of the SDK to an emulator on this machine by the shortest way: no signature, which emulators don't check, and no timeouts,
 * which a busy machine would reach.
 */
import { unsigned } from '../../../infra/local/aws-call.ts'
import { leanRequestHandler } from '../../../lib/store/lean-client.ts'

export interface LeanClient {
  config: { region: () => Promise<string>; requestHandler: unknown; signer: unknown }
}

/** To be called before the client is used. */
export const useLeanTransport = ({ config }: LeanClient): void => {
  const sign = async <T extends { headers: object }>(request: T): Promise<T> => {
    Object.assign(request.headers, unsigned(await config.region()))
    return request
  }
  config.requestHandler = leanRequestHandler({ connectionTimeout: 0, requestTimeout: 0 })
  config.signer = async () => ({ sign })
}
