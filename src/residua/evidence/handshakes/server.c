/* A server of TLS 1.3 that has as many handshakes at a time as there are clients.
 *
 * usage: server CERTIFICATE KEY COUNT
 *
 * Tells its port on localhost, has a thread for each of COUNT connections, and tells how many
 * handshakes it completed. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

static SSL_CTX *context;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long completed;

static void stop(const char *what)
{
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static void *serve(void *argument)
{
    int socket = (int)(long)argument;
    SSL *connection = SSL_new(context);
    int done = connection != NULL && SSL_set_fd(connection, socket) == 1 &&
               SSL_accept(connection) == 1;

    (void)pthread_mutex_lock(&lock);
    if (done) {
        completed++;
    } else {
        ERR_print_errors_fp(stderr);
    }
    (void)pthread_mutex_unlock(&lock);
    if (done) {
        char byte;
        /* Until the client has closed its side. */
        while (SSL_read(connection, &byte, 1) == 1) {
        }
        (void)SSL_shutdown(connection);
    }
    SSL_free(connection);
    (void)close(socket);
    return NULL;
}

static int listening(void)
{
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    int found = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (found < 0 || bind(found, (struct sockaddr *)&address, size) != 0 ||
        listen(found, SOMAXCONN) != 0 ||
        getsockname(found, (struct sockaddr *)&address, &size) != 0) {
        stop("no port");
    }
    printf("PORT %u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    return found;
}

int main(int count, char **arguments)
{
    pthread_t *threads;
    long i, wanted = count == 4 ? atol(arguments[3]) : 0;
    int port;

    (void)signal(SIGPIPE, SIG_IGN);
    context = SSL_CTX_new(TLS_server_method());
    threads = wanted > 0 ? calloc((size_t)wanted, sizeof *threads) : NULL;
    if (threads == NULL || context == NULL ||
        SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_use_certificate_file(context, arguments[1], SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, arguments[2], SSL_FILETYPE_PEM) != 1) {
        stop("no server");
    }
    port = listening();
    for (i = 0; i < wanted; i++) {
        int one = accept(port, NULL, NULL);
        if (one < 0 || pthread_create(&threads[i], NULL, serve, (void *)(long)one) != 0) {
            stop("no connection");
        }
    }
    for (i = 0; i < wanted; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    free(threads);
    SSL_CTX_free(context);
    printf("COMPLETED %ld\n", completed);
    return 0;
}
