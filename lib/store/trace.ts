/**
 * Traces calls to DynamoDB with X-Ray: sends a subsegment for each call to the daemon that Lambda runs beside the
 * function.
 */
import { createSocket, type Socket } from 'node:dgram'

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
const HEADER = /Root=(?<root>1-[0-9a-f]{8}-[0-9a-f]{24});.*Parent=(?<parent>[0-9a-f]{16});.*Sampled=1/

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html */
const PREAMBLE = '{"format": "json", "version": 1}\n'

/** Passed by the caller, because each imported module would add a chunk to load. */
interface TraceContext {
  /** The trace of the invocation. */
  header: string
  /** Address and port of the daemon. */
  daemon: string
  table: string
}

/** Runs a call, and reports its duration and whether it failed. Requests and responses are not reported. */
export const traced = async <T>(
  operation: string,
  { header, daemon, table }: TraceContext,
  call: () => Promise<T>,
): Promise<T> => {
  const { root, parent } = HEADER.exec(header)?.groups ?? {}
  if (root === undefined || parent === undefined) return call()
  const startedAt = Date.now()
  let fault = false
  try {
    return await call()
  } catch (error) {
    fault = true
    throw error
  } finally {
    send(daemon, {
      ...{ name: 'DynamoDB', namespace: 'aws', type: 'subsegment' },
      ...{ id: newId(), trace_id: root, parent_id: parent },
      ...{ start_time: startedAt / 1000, end_time: Date.now() / 1000, fault },
      aws: { operation, table_name: table },
    })
  }
}

/** 64 bits, hexadecimal. */
const newId = (): string => crypto.randomUUID().replaceAll('-', '').slice(-16)

let socket: Socket | undefined

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html */
const send = (daemon: string, subsegment: object): void => {
  const [host = '', port] = daemon.split(':')
  // A lost trace must neither cause an error nor keep the process running.
  socket ??= createSocket('udp4').on('error', () => {})
  socket.unref()
  socket.send(PREAMBLE + JSON.stringify(subsegment), Number(port), host, () => {})
}
