// A webhook receiver for the tests that run in Node.

import { createServer } from "node:http";

/** A receiver that keeps each request's headers and raw body, and answers 200. */
export class Receiver {
  requests = [];
  #waiting = [];

  async listen() {
    this.server = createServer((request, response) => {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        this.requests.push({ headers: request.headers, body: Buffer.concat(parts).toString("utf8") });
        response.end("ok");
        for (const wake of this.#waiting.splice(0)) wake();
      });
    });
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.address = `http://127.0.0.1:${this.server.address().port}/hook`;
    return this.address;
  }

  /** Waits until so many requests have come. */
  async count(wanted) {
    while (this.requests.length < wanted) await new Promise((done) => this.#waiting.push(done));
    return this.requests;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
