/** Addresses and free ports of this machine for the stage to listen on. */
import { createServer } from 'node:net'

export const LOOPBACK = '127.0.0.1'
export const LOCALHOST = 'localhost'

/** How a URL of this machine names what listens on `host`. */
const urlHost = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return LOOPBACK
  return host.includes(':') ? `[${host}]` : host
}

/** The address of an API that listens there; with TLS of a name, as wallets and did:web want it. */
export const urlOf = ({ host, port, tls }: { host: string; port: number; tls: boolean }): string => {
  const name = urlHost(host)
  return tls ? `https://${name === LOOPBACK ? LOCALHOST : name}:${port}` : `http://${name}:${port}`
}

/** Below the ports of outgoing connections, one of which could take the port before the stage listens on it. */
const FIRST = 20_000
const COUNT = 10_000

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)))
  })

/** A port that is not in use, among 10,000 from `first` on. */
export const freePort = async (first = FIRST): Promise<number> => {
  const port = first + Math.floor(Math.random() * COUNT)
  return (await isFree(port)) ? port : freePort(first)
}
