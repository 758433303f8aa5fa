'use strict';
// An Express application that counts what it is asked. It says on standard output where it listens.
//
//   GET  /text      always the same 11 bytes
//   GET  /json      a list that has 0, 1 and 2 elements in turn: three lengths
//   POST /echo      what was sent
//   GET  /stream    a head, two pieces, and no word about their length
//   GET  /count     what was asked so far, questions for it left out

const express = require('express');

const application = express();
const sockets = new Set();
const counts = { requests: 0, received: 0 };
let lists = 0;

application.use((request, response, next) => {
  if (request.path !== '/count') {
    counts.requests += 1;
    sockets.add(request.socket);
  }
  next();
});

application.get('/text', (request, response) => {
  response.type('text').send('hello world');
});

application.get('/json', (request, response) => {
  response.json(Array(lists++ % 3).fill('element'));
});

application.post('/echo', express.raw({ type: () => true, limit: '1mb' }), (request, response) => {
  counts.received += request.body.length;
  response.type('text').send(request.body);
});

application.get('/stream', (request, response) => {
  response.type('text').flushHeaders();
  setImmediate(() => {
    response.write('one ');
    setImmediate(() => response.end('two'));
  });
});

application.get('/count', (request, response) => {
  let sent = 0;
  sockets.forEach((socket) => { sent += socket.bytesWritten; });
  response.type('text').send([counts.requests, sockets.size, sent, counts.received].join(' '));
});

const server = application.listen(0, '127.0.0.1', () => {
  console.log(`listening on 127.0.0.1:${server.address().port}`);
});
// A slow machine may take its time between two requests of a connection.
server.keepAliveTimeout = 60000;
