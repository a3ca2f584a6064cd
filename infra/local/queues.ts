/** The SQS of the local stage: fauxqs, in this process. */
import { Server } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { LOOPBACK } from './port.ts'

export interface Queues {
  endpoint: string
  /** What was received before the stage was stopped or killed goes back into its queue: whoever had it is gone. */
  putBack(sqs: SQSClient, queue: { name: string; url: string }): Promise<void>
  stop(): Promise<void>
}

/**
 * fauxqs listens on every address of the machine and can't be told otherwise: whatever starts listening in here does so on loopback only.
 */
const onLoopback = async <T>(start: () => Promise<T>): Promise<T> => {
  const { listen } = Server.prototype
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    const [options, ...rest] = args
    return Reflect.apply(listen, this, [{ ...(options as object), host: LOOPBACK }, ...rest])
  }
  try {
    return await start()
  } finally {
    Server.prototype.listen = listen
  }
}

/**
 * fauxqs 2.4.1 loses a message that is to be visible at once when it keeps messages on disk: it writes no receive count where the column
 * must have one, fails, and has the message neither in flight nor in its queue. The trigger writes what was meant.
 */
const MEND = `
  CREATE TRIGGER IF NOT EXISTS visible_at_once BEFORE UPDATE ON sqs_messages WHEN NEW.approximate_receive_count IS NULL
  BEGIN
    UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = OLD.message_id;
    SELECT RAISE(IGNORE);
  END`

const mend = (folder: string): void => {
  const store = new DatabaseSync(join(folder, 'fauxqs.db'))
  store.exec(MEND)
  store.close()
}

/** Starts it on a port that the system picks. With `dataDir`, each message is on disk before it counts as sent. */
export const startQueues = async (dataDir: string | undefined, region: string): Promise<Queues> => {
  const folder = dataDir === undefined ? undefined : join(dataDir, 'queues')
  const server: FauxqsServer = await onLoopback(() =>
    startFauxqs({ port: 0, logger: false, defaultRegion: region, ...(folder !== undefined && { dataDir: folder }) }),
  )
  if (folder !== undefined) mend(folder)
  return {
    endpoint: `http://${LOOPBACK}:${server.port}`,
    putBack: async (sqs, { name, url }) => {
      for (const { receiptHandle } of server.inspectQueue(name)?.messages.inflight ?? []) {
        await sqs.send(
          new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: receiptHandle, VisibilityTimeout: 0 }),
        )
      }
    },
    stop: () => server.stop(),
  }
}
