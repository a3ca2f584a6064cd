/** The SQS of the local stage: fauxqs, in this process. */
import { Server } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { LOOPBACK } from './port.ts'

export interface Queues {
  endpoint: string
  /** Makes messages visible again that an earlier run of the stage had received and not deleted. */
  putBack(sqs: SQSClient, queue: { name: string; url: string }): Promise<void>
  stop(): Promise<void>
}

/**
 * fauxqs listens on every address of the machine, and has no option for it: servers that start within `start` listen on
 * loopback only.
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
 * With messages on disk, fauxqs 2.4.1 loses a message that is made visible immediately: it writes no receive count into
 * a column that requires one, and fails. The trigger writes what was intended.
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

/** Starts it on a free port. With `dataDir`, each message is on disk before SendMessage is answered. */
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
