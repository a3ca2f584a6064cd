/** Asks an operator before a command scans the table or deletes from it. */
import { createInterface } from 'node:readline'

/** Read units for each GB that is scanned: half a unit for 4 KB, eventually consistent. */
export const SCANNED_GB_UNITS = 2 ** 30 / 4096 / 2

/** On demand, us-east-1. https://aws.amazon.com/dynamodb/pricing/on-demand/ */
const UNIT_DOLLARS = 0.125 / 1e6

/** The size of a table or a part of it, and the price of its scan. */
export const scanPrice = (bytes: number): string => {
  const gigabytes = bytes / 2 ** 30
  return `${gigabytes.toFixed(2)} GB, for about $${(gigabytes * SCANNED_GB_UNITS * UNIT_DOLLARS).toFixed(2)}`
}

/** Asks a question at the terminal; false for anything but a yes. */
export const confirm = async (question: string): Promise<boolean> => {
  process.stdout.write(question)
  try {
    for await (const line of createInterface({ input: process.stdin })) return /^y(es)?$/i.test(line.trim())
    return false
  } finally {
    // An open pipe would keep the process.
    process.stdin.destroy()
  }
}
