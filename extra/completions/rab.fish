complete -c rab -s n -d 'Requests to make; 1 unless given' -r -f
complete -c rab -s c -d 'Requests in flight at a time; 1 unless given' -r -f
complete -c rab -s t -d 'Seconds until the run ends; sets -n to 50000 where it stands' -r -f
complete -c rab -s s -d 'Seconds a connection may be silent; 30 unless given' -r -f
complete -c rab -s b -d 'Bytes in the send and receive buffers of a socket' -r -f
complete -c rab -s B -d 'Local address to connect from' -r -f
complete -c rab -s p -d 'Send this file with POST (see -T); - is standard input' -r -F
complete -c rab -s u -d 'Send this file with PUT (see -T); - is standard input' -r -F
complete -c rab -s T -d 'Content type of what -p or -u sends; text/plain unless given' -r -f
complete -c rab -s v -d 'Print more: 2 requests and headers, 3 status codes, 4 all' -r -f
complete -c rab -s x -d 'Attributes of the HTML table; implies -w' -r -f
complete -c rab -s y -d 'Attributes of its rows; implies -w' -r -f
complete -c rab -s z -d 'Attributes of its cells; implies -w' -r -f
complete -c rab -s C -d 'Cookie to send, name=value; may be repeated' -r -f
complete -c rab -s H -d 'Header line to send, \'Name: value\'; may be repeated' -r -f
complete -c rab -s A -d 'Basic credentials for the server' -r -f
complete -c rab -s P -d 'Basic credentials for the proxy' -r -f
complete -c rab -s X -d 'Send everything through this proxy' -r -f
complete -c rab -s g -d 'Write every request to this file, for gnuplot' -r -F
complete -c rab -s e -d 'Write percentiles to this file, as CSV' -r -F
complete -c rab -s m -d 'Ask with this method' -r -f -a "GET\t''
HEAD\t''
POST\t''
PUT\t''
PATCH\t''
DELETE\t''
OPTIONS\t''
TRACE\t''"
complete -c rab -s Z -d 'TLS cipher suites, in OpenSSL\'s notation' -r -f
complete -c rab -s f -d 'TLS version: TLS1.2, TLS1.3 or ALL' -r -f -a "TLS1.2\t''
TLS1.3\t''
ALL\t''"
complete -c rab -s E -d 'Client certificate, chain and key in one PEM file' -r -F
complete -c rab -s W -d 'Worker threads; 1 unless given, 0 for one a core' -r -f
complete -c rab -s R -d 'Milliseconds between opening one connection and the next' -r -f
complete -c rab -l streams -d 'Requests in flight on one connection of --http2; implies -k' -r -f
complete -c rab -l engine -d 'What speaks HTTP' -r -f -a "wire\t''
hyper\t''"
complete -c rab -l rate -d 'Send so many requests a second, whether or not answers came' -r -f
complete -c rab -l ramp-up -d 'Open the connections one after the other, over so long' -r -f
complete -c rab -l duration -d 'End after so long; no limit on the requests but that of -n' -r -f
complete -c rab -l urls -d 'Ask for the URLs in this file, one after the other; - is standard input' -r -F
complete -c rab -l shuffle -d 'Ask for them in random order, the same for the same number' -r -f
complete -c rab -l samples -d 'Write every request to this file, as CSV in order of time' -r -F
complete -c rab -l save -d 'Save the run to this file, as JSON that loses nothing' -r -F
complete -c rab -l percentiles -d 'Percentages that --json shows, such as 50,95,99.9' -r -f
complete -c rab -l fail-if -d 'Exit with 3 if a rule is true: \'p95>300ms\'; may be repeated' -r -f
complete -c rab -l cert -d 'Client certificate and chain, in PEM' -r -F
complete -c rab -l key -d 'Key of the client certificate, in PEM' -r -F
complete -c rab -l cacert -d 'Believe the certificates in this PEM file; implies --verify' -r -F
complete -c rab -l connect-to -d 'Connect to this address instead of the URL\'s' -r -f
complete -c rab -l unix-socket -d 'Connect to this unix socket' -r -F
complete -c rab -l repeat -d 'Repeat the run so often; report the median one and the spread' -r -f
complete -c rab -l cool-down -d 'Pause between one run and the next, such as 2s or 500ms' -r -f
complete -c rab -l warm-up -d 'Make a run before the first that does not count: 5s, or 1000 requests' -r -f
complete -c rab -l sweep -d 'Make a run for each of these concurrencies: 10,30,50 or 1..200' -r -f
complete -c rab -l until -d 'End a --sweep at a broken rule: \'p95<200ms,failed<1%\'' -r -f
complete -c rab -l generate -d 'Print the manual page, or completions for a shell' -r -f -a "man\t''
bash\t''
zsh\t''
fish\t''"
complete -c rab -s w -d 'Report in HTML tables'
complete -c rab -s i -d 'Ask with HEAD'
complete -c rab -s V -l version -d 'Print the version'
complete -c rab -s k -d 'Use connections again (keep-alive)'
complete -c rab -s d -d 'Leave out the table of percentiles'
complete -c rab -s S -d 'Leave out medians, deviations and the advice on them'
complete -c rab -s q -d 'No progress lines, no hints'
complete -c rab -s l -d 'Documents may differ in length'
complete -c rab -s r -d 'Count connection errors and go on'
complete -c rab -s h -d 'Print a line about every option'
complete -c rab -s I -d 'Do not name the host in TLS handshakes (SNI)'
complete -c rab -s Q -d 'No banner'
complete -c rab -l http1.0 -d 'Speak HTTP/1.0, as ab does (default)'
complete -c rab -l http1.1 -d 'Speak HTTP/1.1'
complete -c rab -l http2 -d 'Speak HTTP/2'
complete -c rab -l by-url -d 'After the report, print a table with a line for each of them'
complete -c rab -l json -d 'Report in JSON, times in microseconds'
complete -c rab -l verify -d 'Refuse servers whose certificate is not good'
complete -c rab -l all-addresses -d 'Spread connections over all addresses of the host'
complete -c rab -l partial -d 'Report what was complete when an error ends the run'
complete -c rab -l demo -d 'Benchmark a server within rab; no URL'
complete -c rab -l help -d 'Print all about the options'
complete -c rab -f
